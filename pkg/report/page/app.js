// SPDX-License-Identifier: Apache-2.0

"use strict";
// Draws the charts of a page from its numbers. Columns of points are in order of rank, and values
// are in the units that people read.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const points = data.points;
  const count = points.id.length;
  const charts = {};
  const drawn = {};

  // Colours are those of the style, which follow the scheme of the reader.
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const title = (axis) => axis.name + (axis.unit ? " " + axis.unit : "");
  const text = (x) => (x === null || x === undefined ? "–" : String(+x.toPrecision(5)));
  const escaped = (s) => String(s).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
  const range = (n) => Array.from({ length: n }, (_, i) => i);

  // A point in words: its parameters.
  const valueText = (parameter, i) => {
    const value = points.values[parameter][i];
    const labels = data.parameters[parameter].labels;
    return value === null ? "–" : labels ? labels[value] : text(value);
  };
  const role = (i) => (i === data.best ? "best" : i === data.baseline ? "baseline" : points.standing[i]);
  const describe = (i) =>
    [role(i) + ", point " + points.id[i]]
      .concat(data.parameters.map((p, k) => p.name + " = " + valueText(k, i)).filter((_, k) => points.values[k][i] !== null))
      .concat(data.objectives.map((o, k) => title(o) + ": " + text(points.mean[k][i]) + interval(k, i)))
      .concat(points.certainty[i] === null ? [] : ["on the Pareto front with probability " + text(points.certainty[i])])
      .map(escaped)
      .join("<br>");
  const interval = (objective, i) =>
    points.low[objective][i] === null ? "" : " (" + text(points.low[objective][i]) + " to " + text(points.high[objective][i]) + ")";

  const base = () => ({
    animation: false,
    textStyle: { color: colour("ink"), fontFamily: "system-ui, sans-serif" },
    backgroundColor: colour("paper"),
    tooltip: { confine: true, backgroundColor: colour("paper"), borderColor: colour("line"), textStyle: { color: colour("ink") } },
    grid: { left: 8, right: 32, top: 40, bottom: 28, containLabel: true },
    aria: { enabled: true },
  });
  const axis = (name, more) =>
    Object.assign(
      {
        type: "value", name, nameLocation: "middle", nameGap: 28, scale: true,
        axisLine: { show: true, lineStyle: { color: colour("soft") } },
        axisLabel: { color: colour("soft"), hideOverlap: true },
        nameTextStyle: { color: colour("ink") },
        splitLine: { lineStyle: { color: colour("line") } },
      },
      more,
    );
  const onTop = { nameLocation: "end", nameGap: 12, nameTextStyle: { align: "left", color: "inherit" } };
  const upAxis = (name, more) => axis(name, Object.assign({}, onTop, { nameTextStyle: { align: "left", color: colour("ink") } }, more));
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
  // An interval from low to high about a mean, with caps, along the direction of values.
  const whiskers = (upright) => (params, api) => {
    const at = api.value(0);
    const ends = [api.value(1), api.value(2)].map((v) => api.coord(upright ? [at, v] : [v, at]));
    const cap = 5;
    const style = { stroke: api.visual("color"), lineWidth: 1.5, fill: "none" };
    const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
    const [[x1, y1], [x2, y2]] = ends;
    return {
      type: "group",
      children: upright
        ? [line(x1, y1, x2, y2), line(x1 - cap, y1, x1 + cap, y1), line(x2 - cap, y2, x2 + cap, y2)]
        : [line(x1, y1, x2, y2), line(x1, y1 - cap, x1, y1 + cap), line(x2, y2 - cap, x2, y2 + cap)],
    };
  };

  // Differences from the baseline, the best above.
  drawn.versus = () => {
    const objective = chosen("versus-objective");
    const rows = data.versus.filter((d) => d.objective === objective).reverse();
    const o = data.objectives[objective];
    const wanted = o.lessIsBetter ? "less is better" : "more is better";
    return Object.assign(base(), {
      tooltip: Object.assign(base().tooltip, {
        formatter: (p) => escaped(rows[p.dataIndex].name) + "<br>" + text(rows[p.dataIndex].percent) + " % ± " + text(rows[p.dataIndex].half) + " %, " + rows[p.dataIndex].verdict,
      }),
      xAxis: axis("difference of " + o.name + " from the baseline in % (" + wanted + ")", { scale: false }),
      yAxis: axis("", { type: "category", data: rows.map((d) => (d.name.length > 40 ? d.name.slice(0, 39) + "…" : d.name)), axisLabel: { color: colour("ink"), width: Math.min(260, innerWidth / 3), overflow: "truncate" } }),
      series: [
        { type: "custom", itemStyle: { color: colour("best") }, renderItem: whiskers(false), encode: { x: [1, 2], y: 0 }, clip: true, data: rows.map((d, i) => [i, d.half === null ? d.percent : d.percent - d.half, d.half === null ? d.percent : d.percent + d.half]), silent: true },
        {
          type: "scatter", symbolSize: 11,
          data: rows.map((d, i) => ({ value: [d.percent, i], itemStyle: d.verdict === "undecided" ? { color: colour("paper"), borderColor: colour("best"), borderWidth: 2 } : { color: colour("best") } })),
        },
      ],
    });
  };

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
      xAxis: axis(title(data.objectives[x])),
      yAxis: upAxis(title(data.objectives[y])),
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
    const dimensions = data.parameters
      .map((p, k) => ({ name: p.name, column: points.values[k], labels: p.labels }))
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
    const [parameter, objective] = [chosen("response-parameter"), chosen("response-objective")];
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
    const [x, y, objective] = [chosen("heat-x"), chosen("heat-y"), chosen("heat-objective")];
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

  // Choices above charts.
  const chosen = (id) => Number(document.getElementById(id).value);
  const choices = (id, names, first, redraw) => {
    const select = document.getElementById(id);
    if (!select) return;
    names.forEach((name, i) => select.add(new Option(name, String(i), i === first, i === first)));
    select.addEventListener("change", () => draw(redraw));
  };
  const names = { objective: data.objectives.map(title), parameter: data.parameters.map((p) => p.name) };
  choices("versus-objective", names.objective, 0, "versus");
  choices("front-x", names.objective, 0, "front");
  choices("front-y", names.objective, 1, "front");
  choices("response-parameter", names.parameter, 0, "response");
  choices("response-objective", names.objective, 0, "response");
  choices("heat-x", names.parameter, 0, "heat");
  choices("heat-y", names.parameter, 1, "heat");
  choices("heat-objective", names.objective, 0, "heat");

  const draw = (name) => {
    if (charts[name]) charts[name].setOption(drawn[name](), { notMerge: true });
  };
  const drawAll = () => Object.keys(charts).forEach(draw);
  document.documentElement.dataset.ready = "1"; // gives charts their size
  for (const name of Object.keys(drawn)) {
    const element = document.getElementById(name);
    if (element) charts[name] = echarts.init(element);
  }
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", () => Object.values(charts).forEach((c) => c.resize()));
  addEventListener("beforeprint", () => Object.values(charts).forEach((c) => c.resize()));
  addEventListener("resize", () => Object.values(charts).forEach((c) => c.resize()));
  // What tests read the numbers of charts from.
  window.windtunnel = { charts, data };
})();
