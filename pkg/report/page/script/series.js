// SPDX-License-Identifier: Apache-2.0

// The charts over time and of distributions, of runs and of the candidates of a sweep.
(() => {
  const { data, drawn, heights, charts, colour, title, text, escaped, ending, isNarrow, range, base, axis, upAxis, hues, look, chosen, choices } = page;
  const series = data.series;
  if (!series) return;
  const candidates = [...new Set(series.tracks.map((t) => t.of || ""))];
  const labelled = (of, name) => (of ? of + ": " + name : name);

  // Times are in the unit in which the run has two or more.
  const longest = Math.max(...series.tracks.flatMap((t) => Object.values(t.lines).map((l) => l.length))) * series.binSeconds;
  const [seconds, unit] = longest >= 10800 ? [3600, "h"] : longest >= 600 ? [60, "min"] : [1, "s"];
  const middle = (i) => +(((i + 0.5) * series.binSeconds) / seconds).toPrecision(6);
  const unitOf = (line) => (line.unit ? line.title + ", " + line.unit : line.title);

  // What the lines may be of: all pools, or the replicas of one.
  const replicas = series.tracks.filter((t) => t.kind === "replica");
  const places = [...new Set(replicas.map((t) => JSON.stringify([t.of || "", t.pool])))].map((p) => JSON.parse(p));
  const subjects = [{ name: "pools", tracks: series.tracks.filter((t) => t.kind !== "replica") }].concat(
    places
      .map(([of, pool]) => ({ name: "replicas of " + labelled(of, pool), tracks: replicas.filter((t) => (t.of || "") === of && t.pool === pool) }))
      .filter((s) => s.tracks.length > 1),
  );
  const subject = () => subjects[chosen("lines-of")];
  const linesOf = (s) => series.lines.filter((l) => s.tracks.some((t) => t.lines[l.name]));

  // Each line has a chart of its own, in one or two columns.
  const cell = 184;
  // More lines than this are told apart by their tooltips only.
  const mostNamed = 12;
  const named = (s) => s.tracks.length > 1 && s.tracks.length <= mostNamed;
  const legendHeight = (s) => (named(s) ? 36 : 8);
  const columnsOf = () => (charts.lines.getDom().clientWidth > 720 ? 2 : 1);
  heights.lines = () => Math.ceil(linesOf(subject()).length / columnsOf()) * cell + legendHeight(subject());
  drawn.lines = () => {
    const s = subject();
    const lines = linesOf(s);
    const columns = columnsOf();
    const width = charts.lines.getDom().clientWidth / columns;
    const names = s.tracks.map((t) => labelled(t.of, t.name));
    const styles = s.tracks.map((t, i) => {
      if (candidates.length > 1) return look(candidates.indexOf(t.of || ""), i);
      if (s.tracks.length > hues.length) return { color: colour("other"), width: 1, opacity: 0.8 };
      return look(i, i);
    });
    const place = (k) => ({ left: (k % columns) * width + 52, width: width - 76, top: legendHeight(s) + Math.floor(k / columns) * cell + 36, height: cell - 72 });
    const percent = (line) => (line.unit && line.unit.startsWith("%") ? { min: 0, max: 100, interval: 50 } : { min: 0 });
    const warmUp = series.warmUpSeconds ? { silent: true, itemStyle: { color: colour("line"), opacity: 0.4 }, data: [[{ xAxis: 0 }, { xAxis: series.warmUpSeconds / seconds }]] } : undefined;
    return Object.assign(base(), {
      grid: lines.map((_, k) => place(k)),
      legend: { show: named(s), type: "scroll", top: 0, textStyle: { color: colour("ink") }, pageTextStyle: { color: colour("ink") }, pageIconColor: colour("link"), data: names },
      tooltip: Object.assign(base().tooltip, { trigger: "axis", formatter: (all) => tip(all, lines) }),
      xAxis: lines.map((_, k) => axis(k + columns >= lines.length ? unit : "", { gridIndex: k, scale: false, max: middle(Math.round(longest / series.binSeconds) - 1), nameGap: 20, axisLabel: { color: colour("soft"), hideOverlap: true, showMaxLabel: false }, splitLine: { show: false } })),
      yAxis: lines.map((line, k) => upAxis(unitOf(line), Object.assign({ gridIndex: k, splitNumber: 3, nameGap: 14, nameTextStyle: { align: "left", color: colour("ink"), padding: [0, 0, 0, -44] } }, percent(line)))),
      series: lines.flatMap((line, k) =>
        s.tracks.map((t, i) => ({
          type: "line", name: names[i], xAxisIndex: k, yAxisIndex: k, showSymbol: false, lineStyle: styles[i], itemStyle: { color: styles[i].color },
          emphasis: { lineStyle: { color: colour("best"), width: 3, opacity: 1 } },
          markArea: i === 0 ? warmUp : undefined,
          data: (t.lines[line.name] || []).map((value, bin) => [middle(bin), value]),
        })),
      ),
    });
  };
  // The greatest values at a time come first.
  const mostTold = 8;
  const tip = (all, lines) => {
    if (!all.length) return "";
    const known = all.filter((p) => p.value[1] !== null).sort((a, b) => b.value[1] - a.value[1]);
    const head = escaped(unitOf(lines[all[0].axisIndex])) + " at " + text(all[0].value[0]) + " " + unit;
    const more = known.length > mostTold ? ["… " + (known.length - mostTold) + " more"] : [];
    return [head].concat(known.slice(0, mostTold).map((p) => escaped(p.seriesName) + ": " + text(p.value[1])), more).join("<br>");
  };

  // Distribution functions. The tail is the share above, on a logarithmic axis.
  const scales = ["logarithmic", "linear", "tail"];
  const latencies = series.latencies.map((_, i) => i).filter((i) => series.curves.some((c) => c.latency === i));
  drawn.curves = () => {
    const latency = latencies[chosen("curves-latency")];
    const scale = scales[chosen("curves-scale")];
    const curves = series.curves.filter((c) => c.latency === latency);
    const classes = [...new Set(curves.map((c) => c.class))];
    const share = (x) => (scale === "tail" ? +(100 - x).toPrecision(5) : x);
    const y = scale === "tail" ? { type: "log", max: 100 } : { min: 0, max: 100 };
    return Object.assign(base(), {
      legend: { top: 0, type: "scroll", textStyle: { color: colour("ink") }, pageTextStyle: { color: colour("ink") }, pageIconColor: colour("link") },
      tooltip: Object.assign(base().tooltip, { trigger: "item", formatter: (p) => escaped(p.seriesName) + "<br>" + (scale === "tail" ? text(p.value[1]) + " % have " + text(p.value[0]) + " ms or more" : text(p.value[1]) + " % have less than " + text(p.value[0]) + " ms") }),
      xAxis: axis(title(series.latencies[latency]), scale === "linear" ? { scale: false, min: 0 } : { type: "log" }),
      yAxis: upAxis(scale === "tail" ? "% of requests with more" : "% of requests with less", Object.assign({ nameGap: 28 }, y)),
      grid: { left: 8, right: 32, top: 88, bottom: 28, containLabel: true }, // targets have their names between the plot and the axis's
      series: curves.map((c, i) => {
        const style = candidates.length > 1 ? look(candidates.indexOf(c.of || ""), candidates.indexOf(c.of || "") + 2 * classes.indexOf(c.class)) : look(i, i);
        const points = range(c.values.length).map((k) => [c.values[k], share(c.shares[k])]).filter(([x, p]) => x > 0 && (scale !== "tail" || p > 0));
        return {
          type: "line", name: labelled(c.of, c.class), symbol: "circle", symbolSize: 4, showSymbol: points.length < 60, lineStyle: style, itemStyle: { color: style.color },
          data: points,
          markLine: c.target === undefined ? undefined : {
            silent: true, symbol: "none", lineStyle: { color: style.color, type: "dashed" }, data: [{ xAxis: c.target, name: "target " + text(c.target) }],
            label: { formatter: (l) => l.name, position: "end", color: colour("soft") },
          },
        };
      }),
    });
  };

  // niceStep is a round number of about a size.
  const niceStep = (size) => {
    const power = 10 ** Math.floor(Math.log10(size));
    return [1, 2, 5, 10].find((n) => n * power >= size) * power;
  };
  // What each replica had at each time.
  const mapped = [
    ["share", "share of arrivals, %"], ["waiting", "waiting requests"], ["running", "running requests"], ["kvUsage", "KV usage, %"], ["utilization", "utilization, %"],
  ];
  if (series.heat) {
    heights.map = () => Math.max(220, series.heat.replicas.length * 18 + 130);
    drawn.map = () => {
      const [name, called] = mapped[chosen("map-line")];
      const rows = series.heat.lines[name];
      const cells = rows.flatMap((row, r) => row.map((value, i) => [i, rows.length - 1 - r, value])).filter((c) => c[2] !== null);
      const most = Math.max(...cells.map((c) => c[2]), 0);
      const at = (i) => (i * series.heat.binSeconds) / seconds;
      const from = (i) => text(+at(i).toPrecision(3));
      // Labels are at round times.
      const step = niceStep(at(rows[0].length) / (charts.map.getDom().clientWidth > 720 ? 10 : 4));
      const mark = (i) => Math.floor(at(i + 1) / step - 1e-9);
      const marked = (i) => i === 0 || mark(i) > mark(i - 1);
      const names = series.heat.replicas.slice().reverse();
      return Object.assign(base(), {
        tooltip: Object.assign(base().tooltip, { formatter: (p) => escaped(names[p.value[1]]) + " from " + from(p.value[0]) + " " + unit + " on<br>" + called + ": " + text(p.value[2]) }),
        xAxis: axis(unit, { type: "category", data: rows[0].map((_, i) => from(i)), nameGap: 22, splitArea: { show: false }, axisTick: { show: false }, axisLabel: { color: colour("soft"), interval: marked, formatter: (_, i) => text(i === 0 ? 0 : +(mark(i) * step).toPrecision(6)) } }),
        yAxis: axis("", { type: "category", data: names, axisLabel: { color: colour("ink"), formatter: (name) => ending(name, isNarrow() ? 16 : 24) } }),
        grid: { left: 8, right: 24, top: 12, bottom: 76, containLabel: true },
        visualMap: { min: 0, max: most || 1, dimension: 2, orient: "horizontal", left: "center", bottom: 0, calculable: false, text: [text(most), called + "  0"], textStyle: { color: colour("ink") }, inRange: { color: [colour("low"), colour("high")] } },
        series: [{ type: "heatmap", data: cells, itemStyle: { borderColor: colour("paper"), borderWidth: rows[0].length > 48 ? 0 : 1 } }],
      });
    };
  }

  choices("lines-of", subjects.map((s) => s.name), 0, "lines");
  choices("curves-latency", latencies.map((i) => series.latencies[i].name), 0, "curves");
  choices("curves-scale", scales, 0, "curves");
  choices("map-line", mapped.map((m) => m[1]), 0, "map");
})();
