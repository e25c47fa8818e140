// What the tests share: random numbers, figures of surfaces, and the one thing of a
// browser that modules ask for when they are loaded and Node has not.

const kept = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => kept.set(k, v) },
});

const seed = Number(process.env.ATELIER_SEED); // given and printed by test.mjs

/** random gives a stream of numbers (mulberry32); each test has its own. */
export function random(stream: number): {
  between: (low: number, high: number) => number;
  integer: (low: number, high: number) => number;
} {
  let state = (seed + 7919 * stream) | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    between: (low, high) => low + (high - low) * next(),
    integer: (low, high) => low + Math.floor((high - low + 1) * next()),
  };
}

/** area and enclosed volume of triangles. */
export function measure(p: ArrayLike<number>, t: ArrayLike<number>): { area: number; volume: number } {
  let area = 0;
  let volume = 0;
  for (let i = 0; i < t.length; i += 3) {
    const [a, b, c] = [t[i], t[i + 1], t[i + 2]].map((v) => [p[3 * v], p[3 * v + 1], p[3 * v + 2]]);
    const u = b.map((x, k) => x - a[k]);
    const v = c.map((x, k) => x - a[k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    area += Math.hypot(...n) / 2;
    volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
  }
  return { area, volume };
}
