// A plot by uPlot; loaded when there is one to draw.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { num } from "../format";
import type { ChartProps } from "./plots";

const ink = () => getComputedStyle(document.documentElement);
const inks = ["--series1", "--series2", "--series3", "--series4", "--series5", "--series6"];

export function Chart({ curves, logX, logY }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = box.current!;
    let plot: uPlot | undefined;
    const make = () => {
      plot?.destroy();
      plot = draw(host, curves, logX, logY);
    };
    make();
    const sized = new ResizeObserver(() => plot?.setSize({ width: host.clientWidth, height: 260 }));
    sized.observe(host);
    addEventListener("themechange", make);
    return () => {
      removeEventListener("themechange", make);
      sized.disconnect();
      plot?.destroy();
    };
  }, []);
  return <div ref={box} class="chart" />;
}

function draw(host: HTMLElement, curves: ChartProps["curves"], logX: boolean, logY: boolean): uPlot {
  const css = ink();
  const axis = {
    stroke: css.getPropertyValue("--faint"),
    grid: { stroke: css.getPropertyValue("--line"), width: 1 },
    ticks: { stroke: css.getPropertyValue("--line"), width: 1 },
  };
  const first = curves[0];
  // Logarithms have no zero and no negative numbers.
  const positive = (log: boolean) => (v: number | null) => (log && v !== null && v <= 0 ? null : v);
  const same = curves.filter((c) => c.x.length === first.x.length);
  const x = first.x;
  const keep = logX ? x.map((v, i) => (v > 0 ? i : -1)).filter((i) => i >= 0) : x.map((_, i) => i);
  const labels = (_: uPlot, values: number[]) => values.map((v) => (v === null ? "" : num(v, 3)));
  return new uPlot(
    {
      width: host.clientWidth || 500,
      height: 260,
      scales: { x: { time: false, distr: logX ? 3 : 1 }, y: { distr: logY ? 3 : 1 } },
      axes: [
        { ...axis, label: first.xName + (first.xUnit ? ` (${first.xUnit})` : ""), values: labels },
        { ...axis, label: first.unit, values: labels, size: 64 },
      ],
      series: [
        { label: first.xName, value: (_, v) => (v === null ? "" : num(v, 5)) },
        ...same.map((c, i) => ({
          label: c.name,
          stroke: css.getPropertyValue(inks[i % inks.length]),
          width: 1.5,
          value: (_: uPlot, v: number) => (v === null ? "" : num(v, 5) + " " + c.unit),
        })),
      ],
    },
    [keep.map((i) => x[i]), ...same.map((c) => keep.map((i) => positive(logY)(c.y[i])))] as uPlot.AlignedData,
    host,
  );
}
