// Which files of a session the 3-D view can show, and which it shows first.
import type { Asset } from "./types";

/** Formats by rank: solved fields before meshes before surfaces. */
const ranks: Record<string, number> = { pvd: 6, vtu: 5, glb: 4, mesh: 3, obj: 2, stl: 1 };

export const ending = (path: string): string => path.slice(path.lastIndexOf(".") + 1).toLowerCase();

/** viewable says whether an asset is geometry that the view reads. */
export const viewable = (a: Asset): boolean => ending(a.path) in ranks && !a.series_of;

/** best is the latest asset of the highest rank. */
export function best(assets: Asset[]): Asset | undefined {
  let found: Asset | undefined;
  for (const a of assets) {
    if (viewable(a) && (!found || ranks[ending(a.path)] >= ranks[ending(found.path)])) found = a;
  }
  return found;
}
