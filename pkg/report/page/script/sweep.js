// SPDX-License-Identifier: Apache-2.0

// The charts of sweeps. Columns of points are in order of rank, and values are in the units that
// people read.
(() => {
  const { data, drawn, colour, title, text, escaped, ending, isNarrow, range, base, axis, upAxis, whiskers, chosen, choices } = page;
  if (!data.points) return;
  const points = data.points;
  const count = points.id.length;
  // The parameters that are axes: each policy that evolved is another one.
  const axes = range(data.parameters.length).filter((k) => !data.evolution || k !== data.evolution.parameter);

  // A point in words: its parameters.
  const valueText = (parameter, i) => {
    const value = points.values[parameter][i];
    const labels = data.parameters[parameter].labels;
    return value === null ? "–" : labels ? labels[value] : text(value);
  };
  const role = (i) => (i === data.best ? "best" : i === data.baseline ? "baseline" : points.standing[i]);
  const describe = (i) =>
    ["rank " + points.rank[i] + (role(i) === points.standing[i] ? "" : ", the " + role(i)) + " (point " + points.id[i] + ")"]
      .concat(data.parameters.map((p, k) => p.name + " = " + valueText(k, i)).filter((_, k) => points.values[k][i] !== null))
      .concat(data.objectives.map((o, k) => title(o) + ": " + text(points.mean[k][i]) + interval(k, i)))
      .concat(points.certainty[i] === null ? [] : ["on the Pareto front with probability " + text(points.certainty[i])])
      .map(escaped)
      .join("<br>");
  const interval = (objective, i) =>
    points.low[objective][i] === null ? "" : " (" + text(points.low[objective][i]) + " to " + text(points.high[objective][i]) + ")";

  // The axis of a parameter: its values by name where they are not numbers.
  const parameterAxis = (make, k, more) => {
    const p = data.parameters[k];
    return make(p.name, Object.assign(p.labels ? { type: "category", data: p.labels.map((l) => (l.length > 28 ? l.slice(0, 27) + "…" : l)) } : {}, more));
  };
  const limits = (objective, direction) => ({
    silent: true,
    symbol: "none",
    lineStyle: { type: "dashed", color: colour("soft") },
    label: { formatter: (l) => l.name, position: "insideEndTop", color: colour("soft") },
    data: (data.objectives[objective].bounds || []).map((b) => ({ name: b.name, [direction]: b.value })),
  });
  // Differences from the baseline, the best above.
  drawn.versus = () => {
    const objective = chosen("versus-objective");
    const rows = data.versus.filter((d) => d.objective === objective).reverse();
    const o = data.objectives[objective];
    const wanted = o.lessIsBetter ? "less is better" : "more is better";
    const heading = isNarrow() ? "difference in % (" + wanted + ")" : "difference of " + o.name + " from the baseline in % (" + wanted + ")";
    const label = (d) => d.rank + "  " + ending(d.name, isNarrow() ? 16 : 36) + (d.alike ? " +" + d.alike : "");
    const alike = (d) => (d.alike ? "<br>" + d.alike + " more with the same difference" : "");
    const ends = (d) => (d.half === null ? "" : " (" + text(d.low) + " to " + text(d.percent + d.half) + " %)");
    return Object.assign(base(), {
      tooltip: Object.assign(base().tooltip, {
        formatter: (p) => escaped(rows[p.dataIndex].name) + "<br>" + text(rows[p.dataIndex].percent) + " %" + ends(rows[p.dataIndex]) + ", " + rows[p.dataIndex].verdict + alike(rows[p.dataIndex]),
      }),
      xAxis: axis(heading, { scale: false }),
      yAxis: axis("", { type: "category", data: rows.map(label), axisLabel: { color: colour("ink"), interval: 0 } }),
      series: [
        { type: "custom", itemStyle: { color: colour("best") }, renderItem: whiskers(false), encode: { x: [1, 2], y: 0 }, clip: true, data: rows.map((d, i) => [i, d.half === null ? d.percent : d.low, d.half === null ? d.percent : d.percent + d.half]), silent: true },
        {
          type: "scatter", symbolSize: 11,
          data: rows.map((d, i) => ({ value: [d.percent, i], itemStyle: d.verdict === "undecided" ? { color: colour("paper"), borderColor: colour("best"), borderWidth: 2 } : { color: colour("best") } })),
        },
      ],
    });
  };

  // Values of which the greatest is many times the least are read on a logarithmic axis.
  const scaled = (values) => (values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > 50 * Math.min(...values) ? { type: "log" } : {});

  // Two objectives against each other.
  drawn.front = () => {
    const [x, y] = [chosen("front-x"), chosen("front-y")];
    const place = (i) => [points.mean[x][i], points.mean[y][i], i];
    const there = range(count).filter((i) => points.mean[x][i] !== null && points.mean[y][i] !== null);
    const special = (i) => i === data.best || i === data.baseline;
    const group = (name, keep, style) => Object.assign({ name, type: "scatter", data: there.filter(keep).map(place) }, style);
    return Object.assign(base(), {
      legend: { top: 0, textStyle: { color: colour("ink") } },
      tooltip: Object.assign(base().tooltip, { formatter: (p) => describe(p.value[2]) }),
      xAxis: axis(title(data.objectives[x]), scaled(there.map((i) => points.mean[x][i]))),
      yAxis: upAxis(title(data.objectives[y]), scaled(there.map((i) => points.mean[y][i]))),
      grid: { left: 8, right: 32, top: 64, bottom: 28, containLabel: true },
      series: [
        group("others", (i) => !points.pareto[i] && !special(i), { large: count > 2000, symbolSize: 5, itemStyle: { color: colour("other") } }),
        group("Pareto front", (i) => points.pareto[i] && !special(i), { symbolSize: 10, itemStyle: { color: colour("best"), opacity: 0.8 }, markLine: limits(x, "xAxis") }),
        group("baseline", (i) => i === data.baseline, { symbol: "diamond", symbolSize: 16, itemStyle: { color: colour("base") }, markLine: limits(y, "yAxis") }),
        group("best", (i) => i === data.best, { symbol: "triangle", symbolSize: 16, itemStyle: { color: colour("best") } }),
      ],
    });
  };

  // Parameters and objectives as parallel axes. More lines than this show nothing.
  const mostLines = 1500;
  drawn.parallel = () => {
    const dimensions = axes
      .map((k) => ({ name: data.parameters[k].name, column: points.values[k], labels: data.parameters[k].labels }))
      .concat(data.objectives.map((o, k) => ({ name: title(o), column: points.mean[k], less: o.lessIsBetter })));
    const every = Math.max(1, Math.ceil(count / mostLines));
    const lines = range(count).filter((i) => (i % every === 0 || i === data.best || i === data.baseline) && dimensions.every((d) => d.column[i] !== null));
    const of = (keep, style) => ({ type: "parallel", lineStyle: style, smooth: false, data: lines.filter(keep).map((i) => dimensions.map((d) => d.column[i])) });
    return Object.assign(base(), {
      tooltip: { show: false },
      parallelAxis: dimensions.map((d, dim) =>
        Object.assign(
          {
            dim, name: d.name.length > 22 ? d.name.slice(0, 21) + "…" : d.name, scale: true, inverse: !!d.less, nameLocation: d.less ? "start" : "end",
            axisLine: { lineStyle: { color: colour("soft") } }, axisLabel: { color: colour("soft") }, nameTextStyle: { color: colour("ink") },
            areaSelectStyle: { color: colour("link") },
          },
          d.labels ? { type: "category", data: d.labels.map((l) => (l.length > 16 ? l.slice(0, 15) + "…" : l)) } : { type: "value" },
        ),
      ),
      parallel: { left: 48, right: 64, top: 40, bottom: 24 },
      series: [
        of((i) => i !== data.best && i !== data.baseline, { color: colour("other"), width: 1, opacity: 0.35 }),
        of((i) => i === data.baseline, { color: colour("base"), width: 3, type: "dashed", opacity: 1 }),
        of((i) => i === data.best, { color: colour("best"), width: 3, opacity: 1 }),
      ],
    });
  };

  // beats says whether a candidate is better than another one in an objective. One that meets the
  // constraints beats all that do not.
  const beats = (objective, i, j) => {
    const [a, b] = [i, j].map((k) => points.standing[k] === "Feasible");
    if (a !== b) return a;
    const [x, y] = [points.mean[objective][i], points.mean[objective][j]];
    return data.objectives[objective].lessIsBetter ? x < y : x > y;
  };

  // The best candidate at each value of a parameter.
  const bestByValue = (parameter, objective) => {
    const best = new Map();
    for (const i of range(count)) {
      const [value, mean] = [points.values[parameter][i], points.mean[objective][i]];
      if (value !== null && mean !== null && (!best.has(value) || beats(objective, i, best.get(value)))) best.set(value, i);
    }
    return [...best].sort((a, b) => a[0] - b[0]);
  };
  // A parameter with a value for each point has no line.
  const mostValues = 100;
  drawn.response = () => {
    const [parameter, objective] = [axes[chosen("response-parameter")], chosen("response-objective")];
    const best = bestByValue(parameter, objective);
    const joined = best.length <= mostValues ? best : [];
    const all = range(count).filter((i) => points.values[parameter][i] !== null && points.mean[objective][i] !== null);
    return Object.assign(base(), {
      tooltip: Object.assign(base().tooltip, { formatter: (p) => describe(p.value[p.value.length - 1]) }),
      xAxis: parameterAxis(axis, parameter),
      yAxis: upAxis(title(data.objectives[objective])),
      series: [
        { type: "scatter", large: count > 2000, symbolSize: 5, itemStyle: { color: colour("other") }, data: all.map((i) => [points.values[parameter][i], points.mean[objective][i], i]) },
        { type: "line", symbol: "circle", symbolSize: 8, lineStyle: { color: colour("best") }, itemStyle: { color: colour("best") }, data: joined.map(([value, i]) => [value, points.mean[objective][i], i]), markLine: limits(objective, "yAxis") },
        { type: "custom", itemStyle: { color: colour("best") }, renderItem: whiskers(true), encode: { x: 0, y: [1, 2] }, clip: true, silent: true, data: joined.filter(([, i]) => points.low[objective][i] !== null).map(([value, i]) => [value, points.low[objective][i], points.high[objective][i]]) },
      ],
    });
  };

  // The best mean at each pair of values. Numbers with many values go into bins.
  const mostBins = 24;
  const bins = (parameter) => {
    const p = data.parameters[parameter];
    if (p.labels) return { names: p.labels, of: (v) => v };
    const values = [...new Set(points.values[parameter].filter((v) => v !== null))].sort((a, b) => a - b);
    if (values.length <= mostBins) return { names: values.map(text), of: (v) => values.indexOf(v) };
    const [low, high] = [values[0], values[values.length - 1]];
    const width = (high - low) / mostBins;
    return { names: range(mostBins).map((i) => text(low + i * width) + " …"), of: (v) => Math.min(mostBins - 1, Math.floor((v - low) / width)) };
  };
  drawn.heat = () => {
    const [x, y, objective] = [axes[chosen("heat-x")], axes[chosen("heat-y")], chosen("heat-objective")];
    const [across, up] = [bins(x), bins(y)];
    const cells = new Map();
    for (const i of range(count)) {
      const [a, b, mean] = [points.values[x][i], points.values[y][i], points.mean[objective][i]];
      if (a === null || b === null || mean === null) continue;
      const key = across.of(a) + " " + up.of(b);
      if (!cells.has(key) || beats(objective, i, cells.get(key))) cells.set(key, i);
    }
    const cell = ([key, i]) => [...key.split(" ").map(Number), points.mean[objective][i], i];
    const all = [...cells].map(cell);
    const means = all.map((c) => c[2]);
    let best = null;
    for (const c of all) if (best === null || beats(objective, c[3], best[3])) best = c;
    const category = (make, name, names) => make(name, { type: "category", data: names, splitArea: { show: false } });
    return Object.assign(base(), {
      tooltip: Object.assign(base().tooltip, { formatter: (p) => describe(p.value[3]) }),
      xAxis: category(axis, data.parameters[x].name, across.names),
      yAxis: category(upAxis, data.parameters[y].name, up.names),
      grid: { left: 8, right: 24, top: 40, bottom: 72, containLabel: true },
      visualMap: { min: Math.min(...means), max: Math.max(...means), dimension: 2, orient: "horizontal", left: "center", bottom: 0, calculable: false, text: [text(Math.max(...means)), title(data.objectives[objective]) + "  " + text(Math.min(...means))], textStyle: { color: colour("ink") }, inRange: { color: [colour("low"), colour("high")] } },
      series: [{ type: "heatmap", data: all.filter((c) => c !== best).map((c) => ({ value: c })).concat({ value: best, itemStyle: { borderColor: colour("base"), borderWidth: 4 } }), itemStyle: { borderColor: colour("paper"), borderWidth: 1 } }],
    });
  };

  // Policies by the generation that made them.
  drawn.generations = () => {
    const objective = chosen("generations-objective");
    const { generations, line } = data.evolution;
    const place = (i) => [generations[i], points.mean[objective][i], i];
    const there = range(count).filter((i) => generations[i] !== null && points.mean[objective][i] !== null);
    const steps = [];
    for (const i of there.slice().sort((a, b) => generations[a] - generations[b])) {
      const last = steps[steps.length - 1];
      if (last === undefined || beats(objective, i, last)) steps.push(i);
    }
    const end = Math.max(0, ...there.map((i) => generations[i]));
    const means = there.map((i) => points.mean[objective][i]);
    const path = line.filter((i) => there.includes(i));
    return Object.assign(base(), {
      legend: { top: 0, textStyle: { color: colour("ink") } },
      tooltip: Object.assign(base().tooltip, { formatter: (p) => describe(p.value[2]) }),
      grid: { left: 8, right: 32, top: 64, bottom: 28, containLabel: true },
      xAxis: axis("generation", { minInterval: 1, scale: false, max: end }),
      yAxis: upAxis(title(data.objectives[objective]), scaled(means)),
      series: [
        { name: "policies", type: "scatter", large: count > 2000, symbolSize: 6, itemStyle: { color: colour("other") }, data: there.map(place) },
        { name: "best so far", type: "line", step: "end", symbol: "none", lineStyle: { color: colour("base"), type: "dashed" }, itemStyle: { color: colour("base") }, data: steps.map(place).concat(steps.length ? [[end, points.mean[objective][steps[steps.length - 1]], steps[steps.length - 1]]] : []) },
        { name: "the best and its ancestors", type: "line", symbol: "circle", symbolSize: 9, lineStyle: { color: colour("best") }, itemStyle: { color: colour("best") }, data: path.map(place), markLine: limits(objective, "yAxis") },
      ],
    });
  };

  const names = { objective: data.objectives.map(title), parameter: axes.map((k) => data.parameters[k].name) };
  choices("versus-objective", names.objective, 0, "versus");
  choices("front-x", names.objective, 0, "front");
  choices("front-y", names.objective, 1, "front");
  choices("response-parameter", names.parameter, 0, "response");
  choices("response-objective", names.objective, 0, "response");
  choices("generations-objective", names.objective, 0, "generations");
  choices("heat-x", names.parameter, 0, "heat");
  choices("heat-y", names.parameter, 1, "heat");
  choices("heat-objective", names.objective, 0, "heat");
})();
