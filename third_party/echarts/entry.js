// What the reports need of ECharts, and nothing else: utils/update_echarts.sh bundles it.
export * from 'echarts/core';
import { use } from 'echarts/core';
import { CustomChart, LineChart, LinesChart, TreeChart } from 'echarts/charts';
import {
  DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

use([
  CanvasRenderer, CustomChart, DataZoomComponent, GridComponent, LegendComponent, LineChart,
  LinesChart, MarkLineComponent, TooltipComponent, TreeChart,
]);
