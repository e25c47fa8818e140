// The 3-D view with its controls, colour bar and probe.
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, get, saveBlob } from "../api";
import { num, quantity, scaleFor, words } from "../format";
import type { Asset, Job } from "../types";
import { ErrorBox } from "../view/parts";
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
import { boxOf, initial, lengthText, lookOf, rangeOf } from "./settings";

/** Units that the job which made a file tells of its fields. */
async function unitsOf(asset: Asset, signal: AbortSignal): Promise<Record<string, string>> {
  const units: Record<string, string> = {};
  if (!asset.job_id) return units;
  try {
    // The files of a job can be there a moment before its result.
    const job = await get<Job>("/v1/jobs/" + asset.job_id + "?wait_ms=20000", signal);
    const fields = job.result?.fields;
    if (Array.isArray(fields))
      for (const f of fields as { name?: string; unit?: string }[]) if (f.name) units[f.name] = f.unit ?? "";
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

/** useViewer is the scene on a canvas, and the reader of what it shows. */
function useViewer(canvas: RefObject<HTMLCanvasElement | null>, setError: (f: ApiError) => void) {
  const viewer = useRef<Viewer>(undefined);
  const reader = useRef<Reader>(undefined);
  const [frame, setFrame] = useState(0);
  useEffect(() => {
    try {
      viewer.current = new Viewer(canvas.current!);
      viewer.current.drawn = () => setFrame((n) => n + 1);
    } catch {
      setError(
        new ApiError(
          0,
          "no_webgl",
          "This browser shows no 3-D graphics (WebGL 2).",
          "The pictures of the render step and the tables remain.",
        ),
      );
    }
    reader.current = new Reader();
    return () => {
      viewer.current?.close();
      reader.current?.close();
    };
  }, []);
  return { viewer, reader, frame };
}

/** useSeries lists the states of an asset; the last is shown first. */
function useSeries(asset: Asset, assets: Asset[], setError: (f: ApiError) => void) {
  const [series, setSeries] = useState<Moment[]>([]);
  const [at, setAt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    moments(asset, assets, stop.signal).then(
      (found) => {
        setSeries(found);
        setAt(found.length - 1);
      },
      (e) => stop.signal.aborted || setError(asError(e)),
    );
    return () => stop.abort();
  }, [asset.url]);
  return { series, at, setAt };
}

/** usePanel reads the asset and keeps the scene as the settings say. */
function usePanel({ asset, assets }: PanelProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [error, setError] = useState<ApiError>();
  const { viewer, reader, frame } = useViewer(canvas, setError);
  const { series, at, setAt } = useSeries(asset, assets, setError);
  const [model, setModel] = useState<Model>();
  const [settings, setSettings] = useState<Settings>();
  const [busy, setBusy] = useState(true);
  const [probe, setProbe] = useState<Hit>();
  const dark = useDark();
  const shown = useRef(""); // the asset that the camera was set for

  const moment = series[at];
  const read = async (signal: AbortSignal) => {
    try {
      const [made, units] = await Promise.all([
        reader.current!.load(moment.asset.url, ending(moment.asset.path), signal),
        unitsOf(moment.asset, signal),
      ]);
      if (signal.aborted) return;
      for (const f of made.fields) f.unit ||= units[f.name] ?? "";
      const again = shown.current === asset.path;
      shown.current = asset.path;
      const next = again && settings ? settings : initial(made, Object.keys(units));
      setProbe(undefined);
      setModel(made);
      setSettings(next);
      viewer.current!.show(made, lookOf(made, next, dark), again);
    } catch (e) {
      if (!signal.aborted) setError(asError(e));
    } finally {
      if (!signal.aborted) setBusy(false);
    }
  };
  useEffect(() => {
    if (!moment || !viewer.current) return;
    const stop = new AbortController();
    setBusy(true);
    setError(undefined);
    void read(stop.signal);
    return () => stop.abort();
  }, [moment?.asset.url]);

  const look = useMemo<Look | undefined>(
    () => (model && settings ? lookOf(model, settings, dark) : undefined),
    [model, settings, dark],
  );
  useEffect(() => {
    if (!look || !model) return;
    viewer.current?.apply(look);
    if (!look.clip || !model.cells) return;
    const { normal, offset } = look.clip;
    const ask = () =>
      reader.current!.section({
        normal,
        offset,
        field: look.field,
        component: look.component,
        warp: model.warp,
        scale: look.scale,
      });
    const timer = setTimeout(
      () =>
        void ask().then(
          (s) => viewer.current?.setSection(s, normal),
          () => {},
        ),
      30,
    );
    return () => clearTimeout(timer);
  }, [look]);
  return { canvas, viewer, frame, series, at, setAt, model, settings, setSettings, error, busy, probe, setProbe, dark };
}

export function Panel(props: PanelProps) {
  const { asset, assets, choose } = props;
  const p = usePanel(props);
  const { model, settings } = p;
  const field = model?.fields.find((f) => f.name === settings?.field);
  const range = model && settings ? rangeOf(model, settings) : undefined;
  const shoot = async () => {
    const picture = await screenshot(p.viewer.current!, asset, settings!, field, range, p.dark);
    saveBlob(
      picture,
      asset.path
        .split("/")
        .pop()!
        .replace(/\.\w+$/, "") + ".png",
    );
  };
  return (
    <div class="viewer">
      <div class="canvasbox">
        <Canvas canvas={p.canvas} viewer={p.viewer} summary={describe(asset, model, settings)} setProbe={p.setProbe} />
        {model && settings && (
          <Overlay
            viewer={p.viewer.current!}
            model={model}
            settings={settings}
            field={field}
            probe={p.probe}
            frame={p.frame}
          />
        )}
        {field && range && settings && <ColourBar field={field} settings={settings} range={range} />}
        {p.busy && <p class="busy">Reading {asset.path.split("/").pop()}…</p>}
        {p.error && <ErrorBox error={p.error} />}
        {p.probe && model && <Reading probe={p.probe} model={model} unit={field?.unit ?? ""} />}
      </div>
      {settings && model && (
        <Controls
          asset={asset}
          choices={assets.filter(viewable)}
          choose={choose}
          model={model}
          settings={settings}
          set={(s) => p.setSettings({ ...settings, ...s })}
          series={p.series}
          at={p.at}
          setAt={p.setAt}
          view={(side) => p.viewer.current?.view(side)}
          shoot={shoot}
        />
      )}
    </div>
  );
}

/** Reading is what the probe found. */
function Reading({ probe, model, unit }: { probe: Hit; model: Model; unit: string }) {
  const face = probe.group ? (model.groupNames[probe.group] ?? "face") + " (" + probe.group + ")" : "surface";
  return (
    <p class="probe" role="status">
      <strong>{probe.value !== undefined ? quantity(probe.value, unit) : face}</strong> at{" "}
      {lengthText(probe.point, model.lengthUnit)}
    </p>
  );
}

interface CanvasProps {
  canvas: RefObject<HTMLCanvasElement | null>;
  viewer: { current?: Viewer };
  summary: string;
  setProbe: (h: Hit | undefined) => void;
}

const turns: Record<string, [number, number, number]> = {
  ArrowLeft: [-8, 0, 1],
  ArrowRight: [8, 0, 1],
  ArrowUp: [0, -8, 1],
  ArrowDown: [0, 8, 1],
  "+": [0, 0, 0.88],
  "=": [0, 0, 0.88],
  "-": [0, 0, 1.14],
};

const sides: Record<string, string> = {
  "1": "front",
  "2": "back",
  "3": "left",
  "4": "right",
  "5": "top",
  "6": "bottom",
  "0": "iso",
  r: "iso",
};

/** Canvas is the picture, with the mouse and the keys. */
function Canvas({ canvas, viewer, summary, setProbe }: CanvasProps) {
  const down = useRef<[number, number]>([0, 0]);
  const key = (e: KeyboardEvent) => {
    const v = viewer.current;
    if (!v || e.ctrlKey || e.metaKey || e.altKey) return;
    if (turns[e.key]) v.turn(...turns[e.key]);
    else if (sides[e.key]) v.view(sides[e.key]);
    else if (e.key === "p") setProbe(v.probe(canvas.current!.clientWidth / 2, canvas.current!.clientHeight / 2));
    else if (e.key === "Escape") setProbe(undefined);
    else return;
    e.preventDefault();
  };
  return (
    <>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={summary}
        aria-describedby="viewerhelp"
        onKeyDown={key}
        onPointerDown={(e) => (down.current = [e.clientX, e.clientY])}
        onClick={(e) => {
          const dragged = Math.hypot(e.clientX - down.current[0], e.clientY - down.current[1]) >= 4;
          if (!dragged) setProbe(viewer.current?.probe(e.offsetX, e.offsetY));
        }}
      />
      <p id="viewerhelp" class="hidden">
        Arrow keys turn, plus and minus zoom, 1 to 6 look from the sides, 0 resets, P probes the middle, Escape clears
        the probe.
      </p>
    </>
  );
}

const asError = (e: unknown): ApiError =>
  e instanceof ApiError ? e : new ApiError(0, "unreadable", (e as Error).message);

/** describe is what the picture shows, for those who do not see it. */
function describe(asset: Asset, model: Model | undefined, s: Settings | undefined): string {
  const name = asset.path.split("/").pop()!;
  if (!model || !s) return name + ", being read";
  const [lo, hi] = boxOf(model);
  const size =
    "size " + lengthText([hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]], model.lengthUnit).replace(/[()]/g, "");
  const field = model.fields.find((f) => f.name === s.field);
  if (!field) return `${name}: ${model.triangles.length / 3} triangles, ${size}`;
  const [least, most] = field.ranges[s.component];
  const scale = scaleFor(Math.max(Math.abs(least), Math.abs(most)), field.unit);
  return `${name}: ${words(field.name)} from ${num(least * scale.factor)} to ${num(most * scale.factor)} ${scale.unit}, ${size}`;
}
