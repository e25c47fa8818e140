// A picture of the view with its colour bar, as a PNG.
import type { Asset } from "../types";
import { table } from "./colormaps";
import { ticks, title } from "./colourbar";
import type { Field } from "./model";
import type { Viewer } from "./scene";
import type { Settings } from "./settings";

export function screenshot(
  viewer: Viewer,
  asset: Asset,
  s: Settings,
  field: Field | undefined,
  range: [number, number] | undefined,
  dark: boolean,
): Promise<Blob> {
  const source = viewer.picture();
  const k = source.width / source.clientWidth;
  const out = document.createElement("canvas");
  out.width = source.width;
  out.height = source.height;
  const c = out.getContext("2d")!;
  c.fillStyle = dark ? "#14181d" : "#ffffff";
  c.fillRect(0, 0, out.width, out.height);
  c.drawImage(source, 0, 0);
  c.fillStyle = dark ? "#e6e9ed" : "#1a1f26";
  c.font = `${12 * k}px system-ui, sans-serif`;
  c.fillText(asset.path, 12 * k, out.height - 12 * k);
  if (field && range) {
    const { unit, labels } = ticks(range, field.unit);
    const [x, y, w, h] = [16 * k, 40 * k, 14 * k, 200 * k];
    c.font = `600 ${13 * k}px system-ui, sans-serif`;
    c.fillText(title(field, s.component) + (unit ? ` (${unit})` : ""), x, y - 14 * k);
    const colours = table(s.colormap, s.bands);
    for (let i = 0; i < 256; i++) {
      c.fillStyle = `rgb(${colours[4 * i]}, ${colours[4 * i + 1]}, ${colours[4 * i + 2]})`;
      c.fillRect(x, y + (h * (255 - i)) / 256, w, h / 256 + 1);
    }
    c.fillStyle = dark ? "#e6e9ed" : "#1a1f26";
    c.font = `${12 * k}px system-ui, sans-serif`;
    labels.forEach((l, i) => c.fillText(l, x + w + 6 * k, y + (h * i) / 4 + 4 * k));
  }
  return new Promise((done, fail) => out.toBlob((b) => (b ? done(b) : fail(new Error("no picture"))), "image/png"));
}
