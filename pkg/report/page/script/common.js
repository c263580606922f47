// SPDX-License-Identifier: Apache-2.0

"use strict";
// What the charts of all pages share: the numbers of the page, helpers, and the drawing. The files
// of this folder are one script.
const page = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = {};
  // Functions that return the option of a chart, by the name of its element.
  const drawn = {};
  // Functions that return the height of a chart in pixels, of those whose style does not.
  const heights = {};

  // Colours are those of the style, which follow the scheme of the reader.
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const title = (axis) => axis.name + (axis.unit ? " " + axis.unit : "");
  const text = (x) => (x === null || x === undefined ? "–" : String(+x.toPrecision(5)));
  const escaped = (s) => String(s).replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
  // Names that begin alike are told apart by their ends.
  const ending = (name, most) => (name.length > most ? "…" + name.slice(1 - most) : name);
  const isNarrow = () => innerWidth < 480;
  const range = (n) => Array.from({ length: n }, (_, i) => i);

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
  // Few hues, and dashes, so that no line is known by its colour alone.
  const hues = ["c1", "c2", "c3", "c4", "c5"];
  const dashes = ["solid", [9, 3], [4, 2], [9, 3, 3, 3], [16, 4]];
  const look = (hue, dash) => ({ color: colour(hues[hue % hues.length]), type: dashes[dash % dashes.length], width: 2 });
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

  // Choices above charts.
  const chosen = (id) => Number(document.getElementById(id).value);
  const choices = (id, names, first, redraw) => {
    const select = document.getElementById(id);
    if (!select) return;
    names.forEach((name, i) => select.add(new Option(name, String(i), i === first, i === first)));
    select.addEventListener("change", () => draw(redraw));
  };

  const draw = (name) => {
    if (!charts[name]) return;
    if (heights[name]) {
      charts[name].getDom().style.height = heights[name]() + "px";
      charts[name].resize();
    }
    charts[name].setOption(drawn[name](), { notMerge: true });
  };
  const drawAll = () => Object.keys(charts).forEach(draw);
  // Some charts have another layout in another width.
  const fit = () => {
    Object.values(charts).forEach((c) => c.resize());
    Object.keys(heights).forEach(draw);
  };
  const start = () => {
    document.documentElement.dataset.ready = "1"; // gives charts their size
    for (const name of Object.keys(drawn)) {
      const element = document.getElementById(name);
      if (element) charts[name] = echarts.init(element);
    }
    drawAll();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
    matchMedia("print").addEventListener("change", fit);
    addEventListener("beforeprint", fit);
    addEventListener("resize", fit);
    // What tests read the numbers of charts from.
    window.windtunnel = { charts, data, ready: performance.now() };
  };
  return { data, drawn, heights, charts, draw, start, colour, title, text, escaped, ending, isNarrow, range, base, axis, upAxis, hues, look, whiskers, chosen, choices };
})();
