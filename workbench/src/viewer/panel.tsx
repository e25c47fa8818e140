// The 3-D view with its controls, colour bar and probe.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Fault, get, saveBlob } from "../api";
import { num, quantity, scaleFor, words } from "../format";
import type { Asset, Job } from "../types";
import { FaultBox } from "../view/parts";
import type { PanelProps } from "../view/stage";
import { ending, viewable } from "../viewable";
import { ColourBar } from "./colourbar";
import { Controls } from "./controls";
import type { Moment } from "./loader";
import { moments, Reader } from "./loader";
import type { Model } from "./model";
import { Overlay } from "./overlay";
import type { Hit, Look } from "./scene";
import { Viewer } from "./scene";
import { screenshot } from "./screenshot";
import type { Settings } from "./settings";
import { initial, lengthText, lookOf, rangeOf } from "./settings";

/** Units that the job which made a file tells of its fields. */
async function unitsOf(asset: Asset, signal: AbortSignal): Promise<Record<string, string>> {
  const units: Record<string, string> = {};
  if (!asset.job_id) return units;
  try {
    const job = await get<Job>("/v1/jobs/" + asset.job_id, signal);
    const fields = job.result?.fields;
    if (Array.isArray(fields)) for (const f of fields as { name?: string; unit?: string }[]) if (f.name) units[f.name] = f.unit ?? "";
  } catch (e) {
    if (signal.aborted) throw e; // a job that is gone leaves its fields without units
  }
  return units;
}

function useDark(): boolean {
  const read = () => document.documentElement.dataset.theme === "dark";
  const [dark, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener("themechange", changed);
    return () => removeEventListener("themechange", changed);
  }, []);
  return dark;
}

export function Panel({ asset, assets, choose }: PanelProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const viewer = useRef<Viewer>(undefined);
  const reader = useRef<Reader>(undefined);
  const [model, setModel] = useState<Model>();
  const [series, setSeries] = useState<Moment[]>([]);
  const [at, setAt] = useState(0);
  const [settings, setSettings] = useState<Settings>();
  const [fault, setFault] = useState<Fault>();
  const [busy, setBusy] = useState(true);
  const [probe, setProbe] = useState<Hit>();
  const [frame, setFrame] = useState(0);
  const dark = useDark();
  const shown = useRef(""); // the asset that the camera was set for

  useEffect(() => {
    try {
      viewer.current = new Viewer(canvas.current!);
      viewer.current.drawn = () => setFrame((n) => n + 1);
    } catch {
      setFault(new Fault(0, "no_webgl", "This browser shows no 3-D graphics (WebGL 2).", "The pictures of the render step and the tables remain."));
    }
    reader.current = new Reader();
    return () => {
      viewer.current?.close();
      reader.current?.close();
    };
  }, []);

  useEffect(() => {
    const stop = new AbortController();
    moments(asset, assets, stop.signal).then(
      (found) => {
        setSeries(found);
        setAt(found.length - 1);
      },
      (e) => stop.signal.aborted || setFault(asFault(e)),
    );
    return () => stop.abort();
  }, [asset.url]);

  const moment = series[at];
  useEffect(() => {
    if (!moment || !viewer.current) return;
    const stop = new AbortController();
    setBusy(true);
    setFault(undefined);
    void (async () => {
      try {
        const [made, units] = await Promise.all([reader.current!.load(moment.asset.url, ending(moment.asset.path), stop.signal), unitsOf(moment.asset, stop.signal)]);
        if (stop.signal.aborted) return;
        for (const f of made.fields) f.unit ||= units[f.name] ?? "";
        const again = shown.current === asset.path;
        shown.current = asset.path;
        const next = again && settings ? settings : initial(made, Object.keys(units));
        setProbe(undefined);
        setModel(made);
        setSettings(next);
        viewer.current!.show(made, lookOf(made, next, dark), again);
      } catch (e) {
        if (!stop.signal.aborted) setFault(asFault(e));
      } finally {
        if (!stop.signal.aborted) setBusy(false);
      }
    })();
    return () => stop.abort();
  }, [moment?.asset.url]);

  const look = useMemo<Look | undefined>(() => (model && settings ? lookOf(model, settings, dark) : undefined), [model, settings, dark]);
  useEffect(() => {
    if (!look || !model || !settings) return;
    viewer.current?.apply(look);
    if (!look.clip || !model.cells) return;
    const timer = setTimeout(() => {
      const { normal, offset } = look.clip!;
      reader
        .current!.section({ normal, offset, field: look.field, component: look.component, warp: model.warp, scale: look.scale })
        .then((s) => viewer.current?.setSection(s, normal), () => {});
    }, 30);
    return () => clearTimeout(timer);
  }, [look]);

  const field = model?.fields.find((f) => f.name === settings?.field);
  const range = model && settings ? rangeOf(model, settings) : undefined;
  const summary = describe(asset, model, settings, viewer.current);
  const key = (e: KeyboardEvent) => {
    const v = viewer.current;
    const turns: Record<string, [number, number, number]> = {
      ArrowLeft: [-8, 0, 1],
      ArrowRight: [8, 0, 1],
      ArrowUp: [0, -8, 1],
      ArrowDown: [0, 8, 1],
      "+": [0, 0, 0.88],
      "=": [0, 0, 0.88],
      "-": [0, 0, 1.14],
    };
    const sides: Record<string, string> = { "1": "front", "2": "back", "3": "left", "4": "right", "5": "top", "6": "bottom", "0": "iso", r: "iso" };
    if (!v || e.ctrlKey || e.metaKey || e.altKey) return;
    if (turns[e.key]) v.turn(...turns[e.key]);
    else if (sides[e.key]) v.view(sides[e.key]);
    else if (e.key === "p") setProbe(v.probe(canvas.current!.clientWidth / 2, canvas.current!.clientHeight / 2));
    else if (e.key === "Escape") setProbe(undefined);
    else return;
    e.preventDefault();
  };
  const down = useRef<[number, number]>([0, 0]);
  return (
    <div class="viewer">
      <div class="canvasbox">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={summary}
          aria-describedby="viewerhelp"
          onKeyDown={key}
          onPointerDown={(e) => (down.current = [e.clientX, e.clientY])}
          onClick={(e) => {
            if (Math.hypot(e.clientX - down.current[0], e.clientY - down.current[1]) < 4) setProbe(viewer.current?.probe(e.offsetX, e.offsetY));
          }}
        />
        <p id="viewerhelp" class="hidden">
          Arrow keys turn, plus and minus zoom, 1 to 6 look from the sides, 0 resets, P probes the middle, Escape clears the probe.
        </p>
        {model && settings && look && <Overlay viewer={viewer.current!} model={model} settings={settings} field={field} probe={probe} frame={frame} />}
        {field && range && settings && <ColourBar field={field} settings={settings} range={range} />}
        {busy && <p class="busy">Reading {asset.path.split("/").pop()}…</p>}
        {fault && <FaultBox fault={fault} />}
        {probe && model && (
          <p class="probe" role="status">
            <strong>
              {probe.value !== undefined && field
                ? quantity(probe.value, field.unit)
                : probe.group
                  ? (model.groupNames[probe.group] ?? "face") + " (" + probe.group + ")"
                  : "surface"}
            </strong>{" "}
            at {lengthText(probe.point, model.lengthUnit)}
          </p>
        )}
      </div>
      {settings && model && (
        <Controls
          asset={asset}
          choices={assets.filter(viewable)}
          choose={choose}
          model={model}
          settings={settings}
          set={(s) => setSettings({ ...settings, ...s })}
          series={series}
          at={at}
          setAt={setAt}
          view={(side) => viewer.current?.view(side)}
          shoot={() =>
            screenshot(viewer.current!, asset, model, settings, field, range, dark).then((b) => saveBlob(b, asset.path.split("/").pop()!.replace(/\.\w+$/, "") + ".png"))
          }
        />
      )}
    </div>
  );
}

const asFault = (e: unknown): Fault => (e instanceof Fault ? e : new Fault(0, "unreadable", (e as Error).message));

/** describe is what the picture shows, for those who do not see it. */
function describe(asset: Asset, model: Model | undefined, s: Settings | undefined, viewer: Viewer | undefined): string {
  const name = asset.path.split("/").pop()!;
  if (!model || !s) return name + ", being read";
  const { min, max } = model.positions.length && viewer ? boundsOf(model) : { min: [0, 0, 0], max: [0, 0, 0] };
  const size = "size " + lengthText([max[0] - min[0], max[1] - min[1], max[2] - min[2]], model.lengthUnit).replace(/[()]/g, "");
  const field = model.fields.find((f) => f.name === s.field);
  if (!field) return `${name}: ${model.triangles.length / 3} triangles, ${size}`;
  const [lo, hi] = field.ranges[s.component];
  const scale = scaleFor(Math.max(Math.abs(lo), Math.abs(hi)), field.unit);
  return `${name}: ${words(field.name)} from ${num(lo * scale.factor)} to ${num(hi * scale.factor)} ${scale.unit}, ${size}`;
}

function boundsOf(model: Model) {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  model.positions.forEach((x, i) => {
    min[i % 3] = Math.min(min[i % 3], x);
    max[i % 3] = Math.max(max[i % 3], x);
  });
  return { min, max };
}
