// SPDX-License-Identifier: Apache-2.0

// The chart of a run's figures.
(() => {
  const { data, drawn, heights, colour, text, escaped, ending, isNarrow, base, axis, whiskers, chosen, choices } = page;
  if (!data.figures) return;
  const names = [...new Set(data.figures.map((f) => f.name))].filter((name) => data.figures.filter((f) => f.name === name).length > 1 || data.figures.some((f) => f.name === name && f.low !== null));
  if (!names.length) return;
  const rowsOf = (name) => data.figures.filter((f) => f.name === name).reverse();
  const shown = () => rowsOf(names[chosen("groups-metric")]);
  heights.groups = () => Math.max(150, shown().length * 28 + 90);
  drawn.groups = () => {
    const rows = shown();
    const { name, unit } = rows[0];
    const sure = rows.map((f, i) => [f, i]).filter(([f]) => f.low !== null);
    return Object.assign(base(), {
      tooltip: Object.assign(base().tooltip, {
        formatter: (p) => {
          const f = rows[p.value[p.value.length - 1]];
          return escaped(f.of) + "<br>" + text(f.mean) + " " + (unit || "") + (f.low === null ? "" : " (" + text(f.low) + " to " + text(f.high) + ")");
        },
      }),
      grid: { left: 8, right: 32, top: 16, bottom: 28, containLabel: true },
      xAxis: axis(name + (unit ? " " + unit : "")),
      yAxis: axis("", { type: "category", data: rows.map((f) => f.of), axisLabel: { color: colour("ink"), formatter: (name) => ending(name, isNarrow() ? 16 : 32) } }),
      series: [
        { type: "custom", itemStyle: { color: colour("best") }, renderItem: whiskers(false), encode: { x: [1, 2], y: 0 }, clip: true, silent: true, data: sure.map(([f, i]) => [i, f.low, f.high]) },
        { type: "scatter", symbolSize: 11, itemStyle: { color: colour("best") }, data: rows.map((f, i) => [f.mean, i]) },
      ],
    });
  };
  const first = Math.max(0, names.indexOf("ttft.p99"));
  choices("groups-metric", names, first, "groups");
})();
