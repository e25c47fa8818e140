// The files of a session: look at one, save it, or give it to a tool.
import { useEffect, useState } from "preact/hooks";
import { filesOf, loadTools, withFile } from "../catalogue";
import { bytes } from "../format";
import type { Asset, Manifest, Tool } from "../types";
import { ending, viewable } from "../viewable";
import { Download } from "./parts";

interface Props {
  manifest?: Manifest;
  show: (a: Asset) => void;
  shown?: string;
}

export function Files({ manifest, show, shown }: Props) {
  const [tools, setTools] = useState<Tool[]>([]);
  useEffect(() => void loadTools().then(setTools, () => setTools([])), []);
  if (!manifest?.assets.length) return <p class="faint">No files yet.</p>;
  const base = "/v1/sessions/" + manifest.session_id;
  return (
    <>
      <table class="files">
        <thead>
          <tr>
            <th>File</th>
            <th>Size</th>
            <th>
              <span class="hidden">Show</span>
            </th>
            <th>Run a tool on it</th>
          </tr>
        </thead>
        <tbody>
          {manifest.asset_details.map((a) => (
            <tr key={a.path} aria-current={a.path === shown ? "true" : undefined}>
              <td>
                <Download url={a.url} name={a.path}>
                  {a.path}
                </Download>
              </td>
              <td class="number">{bytes(a.bytes)}</td>
              <td>
                {viewable(a) && (
                  <button class="small" onClick={() => show(a)}>
                    Show
                  </button>
                )}
              </td>
              <td>
                <RunOn asset={a} tools={tools} session={manifest.session_id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <Download url={base + "/export"} name={manifest.session_id + ".zip"}>
          Save the whole session
        </Download>{" "}
        ·{" "}
        <Download url={base} name={manifest.session_id + ".json"}>
          Save the manifest
        </Download>
      </p>
    </>
  );
}

function RunOn({ asset, tools, session }: { asset: Asset; tools: Tool[]; session: string }) {
  const fitting = filesOf(tools, ending(asset.path));
  if (!fitting.length || asset.mime_type.startsWith("image/")) return null;
  return (
    <select
      class="small"
      aria-label={"Run a tool on " + asset.path}
      value=""
      onChange={(e) => {
        const tool = tools.find((t) => t.name === e.currentTarget.value);
        if (tool)
          location.hash =
            "#/tools/" +
            tool.name +
            "/" +
            encodeURIComponent(JSON.stringify(withFile(tool, asset.reference))) +
            "/" +
            session;
      }}
    >
      <option value="">Choose…</option>
      {fitting.map((t) => (
        <option key={t.name} value={t.name}>
          {t.name}
        </option>
      ))}
    </select>
  );
}
