// The workbench: conversation with live steps on one side, the part, its fields,
// pictures, plots and files on the other.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ApiError } from "../api";
import { upload } from "../api";
import type { Asset, Manifest } from "../types";
import { useSession } from "../useSession";
import { best, viewable } from "../viewable";
import { Chat } from "./chat";
import { Files } from "./files";
import { Gallery } from "./gallery";
import { ErrorBox } from "./parts";
import { Results } from "./results";
import { Stage } from "./stage";

const tabs = ["Results", "Pictures", "Files"] as const;

export function SessionView({ id }: { id?: string }) {
  const [now, setManifest] = useSession(id);
  const manifest = now.manifest;
  const assets = manifest?.asset_details ?? [];
  const [chosen, choose] = useState<string>(); // an asset that the user picked; else the best
  const [tab, setTab] = useState<(typeof tabs)[number]>("Results");
  const running = manifest?.status === "processing";
  useEffect(() => {
    if (running) choose(undefined); // what the run makes is shown as it comes
  }, [running]);
  const shown = useMemo(() => assets.find((a) => a.path === chosen && viewable(a)) ?? best(assets), [manifest, chosen]);
  const pictures = assets.filter((a) => a.mime_type.startsWith("image/"));
  const show = (a: Asset) => {
    choose(a.path);
    document.getElementById("stage")?.scrollIntoView({ block: "nearest" });
  };
  if (id && now.error && !manifest) return <ErrorBox error={now.error} />;
  return (
    <div class="bench">
      <h1 class="hidden">Workbench</h1>
      <Chat id={id} now={now} setManifest={setManifest} />
      <div class="right">
        <Stage
          asset={shown}
          assets={assets}
          choose={show}
          empty={!id || assets.length === 0}
          session={id}
          drop={(files) => add(id, files, setManifest)}
        />
        <section class="below" aria-label="What the session holds">
          <Tabs tab={tab} setTab={setTab} counts={{ Results: 0, Pictures: pictures.length, Files: assets.length }} />
          <div class="panel" role="tabpanel" id={"panel-" + tab} aria-labelledby={"tab-" + tab} tabIndex={0}>
            {tab === "Results" ? (
              <Results steps={manifest?.steps ?? []} assets={assets} />
            ) : tab === "Pictures" ? (
              <Gallery pictures={pictures} />
            ) : (
              <Files manifest={manifest} show={show} shown={shown?.path} />
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

type Tab = (typeof tabs)[number];

function Tabs({ tab, setTab, counts }: { tab: Tab; setTab: (t: Tab) => void; counts: Record<Tab, number> }) {
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the session">
      {tabs.map((t) => (
        <button
          key={t}
          id={"tab-" + t}
          role="tab"
          aria-selected={tab === t}
          aria-controls={"panel-" + t}
          tabIndex={tab === t ? 0 : -1}
          onClick={() => setTab(t)}
          onKeyDown={(e) => {
            const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
            if (!step) return;
            const next = tabs[(tabs.indexOf(t) + step + tabs.length) % tabs.length];
            setTab(next);
            document.getElementById("tab-" + next)?.focus();
          }}
        >
          {t}
          <Count n={counts[t]} />
        </button>
      ))}
    </div>
  );
}

function Count({ n }: { n: number }) {
  return n > 0 ? <span class="count">{n}</span> : null;
}

/** add puts files into the session, or makes a new one of them. */
export async function add(
  id: string | undefined,
  files: File[],
  done: (m: Manifest) => void,
): Promise<ApiError | undefined> {
  try {
    const path = id ? "/v1/sessions/" + encodeURIComponent(id) + "/files" : "/v1/sessions";
    const made = await upload<{ session_id: string; state: Manifest }>(path, files);
    if (id) done(made.state);
    else location.hash = "#/s/" + made.session_id;
  } catch (e) {
    return e as ApiError;
  }
}
