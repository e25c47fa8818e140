// Where the 3-D view stands. What it needs is loaded when there is something to
// show.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api";
import { send } from "../api";
import { filesOf, loadTools, withFile } from "../catalogue";
import type { Asset } from "../types";
import { ending } from "../viewable";
import { ErrorBox } from "./parts";

export interface StageProps {
  asset?: Asset;
  assets: Asset[];
  choose: (a: Asset) => void;
  empty: boolean;
  session?: string;
  drop: (files: File[]) => Promise<ApiError | undefined>;
}

export type PanelProps = { asset: Asset; assets: Asset[]; choose: (a: Asset) => void };

export function Stage({ asset, assets, choose, empty, session, drop }: StageProps) {
  const [Panel, setPanel] = useState<ComponentType<PanelProps>>();
  const [error, setError] = useState<ApiError>();
  const [over, setOver] = useState(false);
  useEffect(() => {
    // As soon as there is a file: what it will be shown with is there when it can be shown.
    if (!empty && !Panel)
      import("../viewer/panel").then(
        (m) => setPanel(() => m.Panel),
        (e) => setError(e as ApiError),
      );
  }, [empty, Panel]);
  return (
    <section
      id="stage"
      class={"stage" + (over ? " over" : "")}
      aria-label="3-D view"
      onDragOver={(e) => {
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => {
        e.preventDefault();
        setOver(false);
        void drop([...(e.dataTransfer?.files ?? [])]).then(setError);
      }}
    >
      <ErrorBox error={error} />
      {asset && Panel ? (
        <Panel asset={asset} assets={assets} choose={choose} />
      ) : (
        <div class="vacant">
          {asset ? (
            <p>Loading the view…</p>
          ) : empty ? (
            <>
              <p>
                <strong>Drop a STEP file here</strong>
              </p>
              <p class="faint">or OBJ, STL, GLB, VTU, an MFEM mesh, a netlist. They stay on this server.</p>
            </>
          ) : (
            <Import assets={assets} session={session} />
          )}
        </div>
      )}
    </section>
  );
}

/** Import offers to run the tool that reads a CAD file, so that it can be looked at. */
function Import({ assets, session }: { assets: Asset[]; session?: string }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const cad = assets.find((a) => /^(step|stp)$/.test(ending(a.path)));
  if (!cad) return <p class="faint">None of the files can be shown in 3-D.</p>;
  const run = async () => {
    setBusy(true);
    try {
      const tool = filesOf(await loadTools(), "STEP")[0];
      await send("POST", "/v1/jobs", {
        tool_name: tool.name,
        input: withFile(tool, cad.reference),
        context: { session_id: session },
      });
    } catch (e) {
      setError(e as ApiError);
      setBusy(false);
    }
  };
  return (
    <>
      <p class="faint">{cad.path.split("/").pop()} is shown once it has been imported.</p>
      <p>
        <button onClick={() => void run()} disabled={busy}>
          Import and show it
        </button>
      </p>
      <ErrorBox error={error} />
    </>
  );
}
