// The pictures of a session, newest first; one can be looked at in full.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Asset } from "../types";
import { Download, Picture } from "./parts";

export function Gallery({ pictures }: { pictures: Asset[] }) {
  const [open, setOpen] = useState<Asset>();
  if (!pictures.length) return <p class="faint">No pictures yet. A render step makes some.</p>;
  const drawn = new Set(pictures.filter((p) => p.mime_type === "image/png").map(stem));
  // What a browser does not show, or shows already as another format of the same figure.
  const aside = (p: Asset) => p.mime_type === "image/tiff" || (p.mime_type === "image/svg+xml" && drawn.has(stem(p)));
  const shown = pictures.filter((p) => !aside(p)).reverse();
  const other = pictures.filter(aside);
  return (
    <>
      <ul class="gallery">
        {shown.map((p) => (
          <li key={p.path}>
            <button onClick={() => setOpen(p)} aria-label={"Open " + p.path}>
              <Picture url={p.url} alt={p.path} />
            </button>
            <span>{p.path.split("/").pop()}</span>
          </li>
        ))}
      </ul>
      {other.map((p) => (
        <p key={p.path}>
          <Download url={p.url} name={p.path}>
            {p.path}
          </Download>
        </p>
      ))}
      {open && <Full picture={open} close={() => setOpen(undefined)} />}
    </>
  );
}

const stem = (p: Asset) => p.path.replace(/[.][^./]*$/, "");

function Full({ picture, close }: { picture: Asset; close: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} class="full" aria-label={picture.path} onClose={close}>
      <Picture url={picture.url} alt={picture.path} />
      <div class="actions">
        <span class="grow">{picture.path}</span>
        <Download url={picture.url} name={picture.path}>
          Save
        </Download>
        <button onClick={() => box.current?.close()}>Close</button>
      </div>
    </dialog>
  );
}
