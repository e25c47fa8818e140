// What is laid over the picture: the axes, the place of the largest value, the
// probe.
import { num, quantity } from "../format";
import type { Field, Model } from "./model";
import type { Hit, Viewer } from "./scene";
import type { Settings } from "./settings";
import { autoScale, lengthText } from "./settings";

interface Props {
  viewer: Viewer;
  model: Model;
  settings: Settings;
  field?: Field;
  probe?: Hit;
  frame: number; // counts pictures, so that this is drawn again with each
}

export function Overlay({ viewer, model, settings, field, probe }: Props) {
  const axes = viewer.axes();
  const scale = settings.warp * autoScale(model);
  return (
    <>
      <svg class="axes" viewBox="-30 -30 60 60" aria-hidden="true">
        {axes.map(([x, y], i) => (
          <g key={i} class={"axis" + i}>
            <line x1={0} y1={0} x2={x * 20} y2={y * 20} />
            <text x={x * 26} y={y * 26 + 3}>
              {"xyz"[i]}
            </text>
          </g>
        ))}
      </svg>
      {probe && scale === 0 && (
        <Pin
          viewer={viewer}
          at={probe.point}
          label={probe.value !== undefined && field ? quantity(probe.value, field.unit) : ""}
          kind="probed"
        />
      )}
      <p class="facts">
        {model.cells
          ? `${model.cells.toLocaleString("en")} cells`
          : `${(model.triangles.length / 3).toLocaleString("en")} triangles`}
        {scale !== 0 && ` · deformed ×${num(scale)}`}
        {model.lengthUnit === "" && " · no length unit"}
      </p>
    </>
  );
}

function Pin({
  viewer,
  at,
  label,
  kind,
}: {
  viewer: Viewer;
  at: [number, number, number];
  label: string;
  kind: string;
}) {
  const [x, y] = viewer.place(at);
  return (
    <span class={"pin " + kind} style={{ left: x + "px", top: y + "px" }} title={lengthText(at, "")}>
      {label}
    </span>
  );
}
