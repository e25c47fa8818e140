// Where the 3-D view stands. What it needs is loaded when there is something to
// show.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Fault } from "../api";
import type { Asset } from "../types";
import { FaultBox } from "./parts";

export interface StageProps {
  asset?: Asset;
  assets: Asset[];
  choose: (a: Asset) => void;
  empty: boolean;
  drop: (files: File[]) => Promise<Fault | undefined>;
}

export type PanelProps = { asset: Asset; assets: Asset[]; choose: (a: Asset) => void };

export function Stage({ asset, assets, choose, empty, drop }: StageProps) {
  const [Panel, setPanel] = useState<ComponentType<PanelProps>>();
  const [fault, setFault] = useState<Fault>();
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (asset && !Panel) import("../viewer/panel").then((m) => setPanel(() => m.Panel), (e) => setFault(e as Fault));
  }, [asset, Panel]);
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
        void drop([...(e.dataTransfer?.files ?? [])]).then(setFault);
      }}
    >
      <FaultBox fault={fault} />
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
            <p class="faint">Nothing to look at yet: STEP files are shown once a step has imported them.</p>
          )}
        </div>
      )}
    </section>
  );
}
