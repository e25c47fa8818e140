// The colour bar: colours on a canvas, numbers and unit as text.
import { useEffect, useRef } from "preact/hooks";
import { num, scaleFor, words } from "../format";
import { table } from "./colormaps";
import type { Field } from "./model";
import { componentNames } from "./model";
import type { Settings } from "./settings";

export const title = (field: Field, component: number): string => {
  const part = componentNames(field.components)[component];
  const name = field.name === "von_mises" ? "von Mises stress" : words(field.name);
  return name + (part && !(part === "magnitude" && field.components === 3) ? " " + part : "");
};

/** short leaves out digits that say nothing beside the range. */
const short = (v: number, span: number): string => num(v, Math.abs(v) < 1e-3 * span ? 2 : 4);

/** ticks are the numbers beside the bar, from the top. */
export function ticks(range: [number, number], unit: string): { unit: string; labels: string[] } {
  const s = scaleFor(Math.max(Math.abs(range[0]), Math.abs(range[1])), unit);
  return {
    unit: s.unit,
    labels: [1, 0.75, 0.5, 0.25, 0].map((t) =>
      short((range[0] + t * (range[1] - range[0])) * s.factor, (range[1] - range[0]) * s.factor),
    ),
  };
}

export function ColourBar({ field, settings, range }: { field: Field; settings: Settings; range: [number, number] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current!.getContext("2d")!;
    const colours = table(settings.colormap, settings.bands);
    const image = context.createImageData(1, 256);
    for (let i = 0; i < 256; i++) image.data.set(colours.subarray(4 * (255 - i), 4 * (255 - i) + 4), 4 * i);
    context.putImageData(image, 0, 0);
  }, [settings.colormap, settings.bands]);
  const { unit, labels } = ticks(range, field.unit);
  return (
    <figure class="colourbar" aria-label="Colour bar">
      <figcaption>
        {title(field, settings.component)} {unit && <span class="unit">in {unit}</span>}
      </figcaption>
      <div class="scale">
        <canvas ref={canvas} width={1} height={256} aria-hidden="true" />
        <ol>
          {labels.map((l, i) => (
            <li key={i}>{l}</li>
          ))}
        </ol>
      </div>
    </figure>
  );
}
