// Colour maps by control points, interpolated in sRGB as their publishers do:
// viridis and cividis (matplotlib; Nunez et al. 2018), turbo (Mikhailov 2019),
// cool-warm (Moreland 2009).

const maps: Record<string, string> = {
  viridis: "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
  cividis: "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
  turbo: "30123b 4145ab 4675ed 39a2fc 1bcfd4 24eca6 61fc6c a4fc3b d1e834 f3c63a fe9b2d f36315 d93806 b11901 7a0402",
  coolwarm: "3b4cc0 5977e3 7b9ff9 9ebeff c0d4f5 dddcdc f2cbb7 f7ac8e ee8468 d65244 b40426",
};

export const colormapNames = Object.keys(maps);

/** table is a colour map as 256 RGBA colours; with bands, as so many flat ones. */
export function table(name: string, bands = 0): Uint8Array {
  const points = (maps[name] ?? maps.viridis)
    .split(" ")
    .map((h) => [0, 2, 4].map((i) => parseInt(h.slice(i, i + 2), 16)));
  const out = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    let t = i / 255;
    if (bands > 1) t = Math.min(Math.floor(t * bands), bands - 1) / (bands - 1);
    const at = t * (points.length - 1);
    const k = Math.min(Math.floor(at), points.length - 2);
    for (let c = 0; c < 3; c++)
      out[4 * i + c] = Math.round(points[k][c] + (at - k) * (points[k + 1][c] - points[k][c]));
    out[4 * i + 3] = 255;
  }
  return out;
}
