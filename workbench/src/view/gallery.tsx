// The pictures of a session, newest first; one can be looked at in full.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Asset } from "../types";
import { Download, Picture } from "./parts";

export function Gallery({ pictures }: { pictures: Asset[] }) {
  const [open, setOpen] = useState<Asset>();
  if (!pictures.length) return <p class="faint">No pictures yet. A render step makes some.</p>;
  const shown = pictures.filter((p) => p.mime_type !== "image/tiff").reverse();
  const other = pictures.filter((p) => p.mime_type === "image/tiff");
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
