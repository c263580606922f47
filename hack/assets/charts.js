// SPDX-License-Identifier: Apache-2.0

// The parts of Apache ECharts that reports draw with.
import * as core from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, ParallelChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  DatasetComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  ParallelComponent,
  TooltipComponent,
  VisualMapComponent,
} from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";

core.use([
  BarChart, CustomChart, HeatmapChart, LineChart, ParallelChart, ScatterChart,
  AriaComponent, DatasetComponent, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent,
  ParallelComponent, TooltipComponent, VisualMapComponent,
  CanvasRenderer,
]);

export const init = core.init;
