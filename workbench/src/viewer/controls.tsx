// The controls beside the 3-D view.
import { num, scaleFor, words } from "../format";
import type { Asset } from "../types";
import { colormapNames } from "./colormaps";
import type { Moment } from "./loader";
import type { Field, Model } from "./model";
import { componentNames, valueAt } from "./model";
import type { Settings } from "./settings";
import { autoScale, boxOf, rangeOf } from "./settings";

interface Props {
  asset: Asset;
  choices: Asset[];
  choose: (a: Asset) => void;
  model: Model;
  settings: Settings;
  set: (s: Partial<Settings>) => void;
  series: Moment[];
  at: number;
  setAt: (n: number) => void;
  view: (side: string) => void;
  shoot: () => Promise<void>;
}

const sides = ["iso", "front", "back", "left", "right", "top", "bottom"];

export function Controls(p: Props) {
  return (
    <div class="controls" role="group" aria-label="Controls of the 3-D view">
      <label>
        Shown
        <select
          value={p.asset.path}
          onChange={(e) => {
            const a = p.choices.find((c) => c.path === e.currentTarget.value);
            if (a) p.choose(a);
          }}
        >
          {p.choices.map((a) => (
            <option key={a.path} value={a.path}>
              {a.path}
            </option>
          ))}
        </select>
      </label>
      {p.series.length > 1 && (
        <label>
          Time {num(p.series[p.at]?.time ?? 0)} s
          <input
            type="range"
            min={0}
            max={p.series.length - 1}
            value={p.at}
            onChange={(e) => p.setAt(Number(e.currentTarget.value))}
          />
        </label>
      )}
      {p.model.fields.length > 0 && <FieldControls {...p} />}
      {p.model.groups && !p.settings.field && <Faces model={p.model} />}
      {p.model.warp && <WarpControl {...p} />}
      <ClipControls {...p} />
      <label>
        Edges
        <select value={p.settings.edges} onChange={(e) => p.set({ edges: e.currentTarget.value as Settings["edges"] })}>
          <option value="none">none</option>
          <option value="feature">of the shape</option>
          <option value="mesh">of the mesh</option>
        </select>
      </label>
      <div class="views" role="group" aria-label="Look from">
        {sides.map((s) => (
          <button key={s} class="small" onClick={() => p.view(s)}>
            {s}
          </button>
        ))}
        <button class="small" onClick={() => void p.shoot()}>
          Screenshot
        </button>
      </div>
    </div>
  );
}

/** middle is the range without the extremes, which a peak at a corner would else take whole. */
function middle(field: Field, component: number): { low: number; high: number } {
  const n = field.data.length / field.components;
  const values = new Float32Array(n);
  for (let i = 0; i < n; i++) values[i] = valueAt(field.data, field.components, i, component);
  values.sort();
  return { low: values[Math.floor(0.01 * (n - 1))], high: values[Math.ceil(0.99 * (n - 1))] };
}

function FieldControls({ model, settings, set }: Props) {
  const field = model.fields.find((f) => f.name === settings.field);
  const names = field ? componentNames(field.components) : [];
  return (
    <>
      <div class="pair">
        <label>
          Field
          <select
            value={settings.field ?? ""}
            onChange={(e) => {
              const f = model.fields.find((g) => g.name === e.currentTarget.value);
              set({
                field: f?.name,
                component: f && f.components > 1 ? f.components : 0,
                low: undefined,
                high: undefined,
              });
            }}
          >
            <option value="">none</option>
            {model.fields.map((f) => (
              <option key={f.name} value={f.name}>
                {words(f.name)}
              </option>
            ))}
          </select>
        </label>
        {names.length > 1 && (
          <label>
            Component
            <select
              value={settings.component}
              onChange={(e) => set({ component: Number(e.currentTarget.value), low: undefined, high: undefined })}
            >
              {names.map((n, i) => (
                <option key={n} value={i}>
                  {n}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {field && <RangeControls field={field} model={model} settings={settings} set={set} />}
    </>
  );
}

interface RangeProps {
  field: Field;
  model: Model;
  settings: Settings;
  set: (s: Partial<Settings>) => void;
}

function RangeControls({ field, model, settings, set }: RangeProps) {
  const [lo, hi] = rangeOf(model, settings);
  const scale = scaleFor(Math.max(Math.abs(lo), Math.abs(hi)), field.unit);
  const bound = (text: string) =>
    text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text) / scale.factor;
  return (
    <>
      <div class="pair">
        <label>
          From {scale.unit && `(${scale.unit})`}
          <input
            key={"lo" + lo + scale.unit}
            type="text"
            inputMode="decimal"
            value={num(lo * scale.factor, 6)}
            onChange={(e) => set({ low: bound(e.currentTarget.value) })}
          />
        </label>
        <label>
          To {scale.unit && `(${scale.unit})`}
          <input
            key={"hi" + hi + scale.unit}
            type="text"
            inputMode="decimal"
            value={num(hi * scale.factor, 6)}
            onChange={(e) => set({ high: bound(e.currentTarget.value) })}
          />
        </label>
      </div>
      <div class="views">
        <button
          class="small"
          disabled={settings.low === undefined && settings.high === undefined}
          onClick={() => set({ low: undefined, high: undefined })}
        >
          Whole range
        </button>
        <button
          class="small"
          onClick={() => set(middle(field, settings.component))}
          title="From the lowest 1 % to the highest 1 % of the surface's values"
        >
          Without 1 %
        </button>
      </div>
      <div class="pair">
        <label>
          Colours
          <select value={settings.colormap} onChange={(e) => set({ colormap: e.currentTarget.value })}>
            {colormapNames.map((c) => (
              <option key={c}>{c}</option>
            ))}
          </select>
        </label>
        <label>
          Bands
          <select value={settings.bands} onChange={(e) => set({ bands: Number(e.currentTarget.value) })}>
            <option value={0}>smooth</option>
            {[6, 8, 10, 12, 16].map((n) => (
              <option key={n} value={n}>
                {n}
              </option>
            ))}
          </select>
        </label>
      </div>
    </>
  );
}

function Faces({ model }: { model: Model }) {
  const ids = [...new Set(model.groups)].filter((id) => id > 0).sort((a, b) => a - b);
  return (
    <details>
      <summary>{ids.length} faces</summary>
      <ol class="faces" tabIndex={0} aria-label="Faces">
        {ids.slice(0, 500).map((id) => (
          <li key={id} value={id}>
            {model.groupNames[id] ?? "unnamed"}
          </li>
        ))}
      </ol>
    </details>
  );
}

function WarpControl({ model, settings, set }: Props) {
  const auto = autoScale(model);
  return (
    <label>
      Deformation {settings.warp ? "×" + num(auto * settings.warp) : "off"}
      <input
        type="range"
        min={0}
        max={2}
        step={0.05}
        value={settings.warp}
        onInput={(e) => set({ warp: Number(e.currentTarget.value) })}
      />
    </label>
  );
}

function ClipControls({ model, settings, set }: Props) {
  const k = "xyz".indexOf(settings.clip || "x");
  const [lo, hi] = boxOf(model);
  const at = lo[k] + settings.clipAt * (hi[k] - lo[k]);
  const small = model.lengthUnit === "m" && Math.abs(hi[k]) < 1;
  return (
    <>
      <div class="pair">
        <label>
          Clip
          <select
            value={settings.clip}
            onChange={(e) =>
              set({ clip: e.currentTarget.value as Settings["clip"], flip: e.currentTarget.value === "y" })
            }
          >
            <option value="">none</option>
            <option value="x">across x</option>
            <option value="y">across y</option>
            <option value="z">across z</option>
          </select>
        </label>
        {settings.clip && (
          <label class="check">
            <input type="checkbox" checked={settings.flip} onChange={(e) => set({ flip: e.currentTarget.checked })} />{" "}
            other side
          </label>
        )}
      </div>
      {settings.clip && (
        <label>
          at {num(small ? at * 1000 : at, 3)} {small ? "mm" : model.lengthUnit}
          <input
            type="range"
            min={0}
            max={1}
            step={0.005}
            value={settings.clipAt}
            onInput={(e) => set({ clipAt: Number(e.currentTarget.value) })}
          />
        </label>
      )}
    </>
  );
}
