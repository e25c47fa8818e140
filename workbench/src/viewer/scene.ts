// The 3-D scene: one model, coloured by a field, cut by a plane, deformed.
import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  DoubleSide,
  GLSL3,
  LinearFilter,
  LineSegments,
  Mesh,
  NearestFilter,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  ShaderMaterial,
  Vector2,
  Vector3,
  Vector4,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { table } from "./colormaps";
import type { Field, Model, Section } from "./model";
import { valueAt } from "./model";

export interface Look {
  field?: string; // none: plain, or by face
  component: number;
  colormap: string;
  bands: number;
  range: [number, number];
  scale: number; // of the deformation
  edges: "none" | "feature" | "mesh";
  clip?: { normal: [number, number, number]; offset: number };
  dark: boolean;
}

export interface Hit {
  point: [number, number, number]; // of the undeformed body
  value?: number;
  group?: number;
}

const vertexShader = `
in float value; in vec3 tint;
out vec3 vNormal; out vec3 vAt; out float vValue; out vec3 vTint;
void main() {
  vNormal = normalMatrix * normal; vValue = value; vTint = tint; vAt = position;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragmentShader = `
uniform sampler2D lut; uniform vec2 range; uniform vec4 plane; uniform float coloured; uniform float flatLight;
in vec3 vNormal; in vec3 vAt; in float vValue; in vec3 vTint;
out vec4 colour;
void main() {
  if (dot(vec4(vAt, -1.0), plane) > 0.0) discard;
  vec3 n = normalize(vNormal);
  if (!gl_FrontFacing) n = -n;
  float light = mix(0.6 + 0.36 * abs(n.z) + 0.08 * n.y, 1.0, flatLight);
  float t = clamp((vValue - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  vec3 base = mix(vTint, texture(lut, vec2(t * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb, coloured);
  colour = vec4(base * min(light, 1.05), 1.0);
}`;

const lineVertex = `
out vec3 vAt;
void main() {
  vAt = position;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position.z -= 0.00003 * gl_Position.w;
}`;

const lineFragment = `
uniform vec4 plane; uniform vec4 ink;
in vec3 vAt; out vec4 colour;
void main() { if (dot(vec4(vAt, -1.0), plane) > 0.0) discard; colour = ink; }`;

const noPlane = () => new Vector4(0, 0, 0, 1);

/** Distinct quiet colours of faces without a field. */
function tintOf(group: number, dark: boolean): [number, number, number] {
  if (!group) return dark ? [0.58, 0.63, 0.7] : [0.66, 0.7, 0.76];
  const h = (group * 0.61803398875) % 1;
  const f = (n: number) => {
    const k = (n + h * 12) % 12;
    const l = dark ? 0.58 : 0.68;
    return l - 0.28 * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [f(0), f(8), f(4)];
}

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  /** Told after each picture, for what is laid over it. */
  drawn: () => void = () => {};

  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(28, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly surfaceMaterial: ShaderMaterial;
  private readonly capMaterial: ShaderMaterial;
  private readonly lineMaterial: ShaderMaterial;
  private readonly surface = new Mesh();
  private readonly cap = new Mesh();
  private readonly lines = new LineSegments();
  private readonly resize: ResizeObserver;
  private model?: Model;
  private look?: Look;
  private centre = new Vector3();
  private radius = 1;
  private moved: Float32Array = new Float32Array();
  private waiting = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    const lut = new DataTexture(table("viridis"), 256, 1);
    const uniforms = {
      lut: { value: lut },
      range: { value: new Vector2(0, 1) },
      plane: { value: noPlane() },
      coloured: { value: 0 },
      flatLight: { value: 0 },
    };
    this.surfaceMaterial = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader,
      fragmentShader,
      side: DoubleSide,
      uniforms,
    });
    this.capMaterial = this.surfaceMaterial.clone();
    this.capMaterial.uniforms = { ...uniforms, plane: { value: noPlane() }, flatLight: { value: 1 } };
    this.lineMaterial = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: lineVertex,
      fragmentShader: lineFragment,
      transparent: true,
      uniforms: { plane: uniforms.plane, ink: { value: new Vector4(0, 0, 0, 0.5) } },
    });
    this.surface.material = this.surfaceMaterial;
    this.cap.material = this.capMaterial;
    this.lines.material = this.lineMaterial;
    this.cap.visible = false;
    for (const o of [this.surface, this.cap, this.lines]) o.frustumCulled = false;
    this.scene.add(this.surface, this.cap, this.lines);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.draw());
    this.resize = new ResizeObserver(() => this.fitCanvas());
    this.resize.observe(canvas.parentElement!);
  }

  close(): void {
    this.resize.disconnect();
    this.controls.dispose();
    cancelAnimationFrame(this.waiting);
    this.renderer.dispose();
  }

  private fitCanvas(): void {
    const box = this.canvas.parentElement!;
    const w = Math.max(box.clientWidth, 1);
    const h = Math.max(box.clientHeight, 1);
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** draw makes a new picture with the browser's next frame. */
  draw(): void {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.drawNow());
  }

  private drawNow(): void {
    this.renderer.render(this.scene, this.camera);
    this.drawn();
  }

  /** show takes a model; the camera stays where it is when keep is set. */
  show(model: Model, look: Look, keep: boolean): void {
    this.model = model;
    const n = model.triangles.length;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(n * 3), 3));
    geometry.setAttribute("normal", new BufferAttribute(model.normals, 3));
    geometry.setAttribute("value", new BufferAttribute(new Float32Array(n), 1));
    geometry.setAttribute("tint", new BufferAttribute(new Float32Array(n * 3), 3));
    this.surface.geometry.dispose();
    this.surface.geometry = geometry;
    this.measure();
    this.look = undefined;
    this.apply(look);
    if (!keep) this.view("iso");
  }

  private measure(): void {
    const p = this.model!.positions;
    const lo = new Vector3(Infinity, Infinity, Infinity);
    const hi = new Vector3(-Infinity, -Infinity, -Infinity);
    const at = new Vector3();
    for (let i = 0; i < p.length; i += 3) {
      at.set(p[i], p[i + 1], p[i + 2]);
      lo.min(at);
      hi.max(at);
    }
    this.centre = lo.clone().add(hi).multiplyScalar(0.5);
    this.radius = Math.max(hi.distanceTo(lo) / 2, 1e-12);
  }

  private field(name: string | undefined): Field | undefined {
    return this.model?.fields.find((f) => f.name === name);
  }

  /** apply changes how the model is shown; only what differs is made anew. */
  apply(look: Look): void {
    const m = this.model;
    const before = this.look;
    this.look = look;
    if (!m) return;
    const field = this.field(look.field);
    if (!before || before.field !== look.field || before.component !== look.component || before.dark !== look.dark)
      this.colour(field, look);
    if (!before || before.scale !== look.scale) this.deform(look.scale);
    if (!before || before.edges !== look.edges || before.scale !== look.scale) this.makeLines(look.edges);
    const u = this.surfaceMaterial.uniforms;
    if (!before || before.colormap !== look.colormap || before.bands !== look.bands) {
      const lut = u.lut.value as DataTexture;
      (lut.image.data as Uint8Array).set(table(look.colormap, look.bands));
      lut.magFilter = lut.minFilter = look.bands ? NearestFilter : LinearFilter;
      lut.needsUpdate = true;
    }
    u.range.value.set(...look.range);
    u.coloured.value = field ? 1 : 0;
    if (look.clip) u.plane.value.set(...look.clip.normal, look.clip.offset);
    else u.plane.value.copy(noPlane());
    this.lineMaterial.uniforms.ink.value.set(
      ...(look.dark && !field ? [1, 1, 1, 0.55] : [0, 0, 0, look.edges === "mesh" ? 0.35 : 0.7]),
    );
    if (!look.clip) this.cap.visible = false;
    this.draw();
  }

  private colour(field: Field | undefined, look: Look): void {
    const m = this.model!;
    const value = this.surface.geometry.getAttribute("value") as BufferAttribute;
    const tint = this.surface.geometry.getAttribute("tint") as BufferAttribute;
    const values = value.array as Float32Array;
    const t = m.triangles;
    if (field) {
      for (let i = 0; i < t.length; i++)
        values[i] = valueAt(field.data, field.components, field.cell ? Math.floor(i / 3) : t[i], look.component);
      value.needsUpdate = true;
    }
    for (let i = 0; i < t.length; i += 3) {
      const rgb = tintOf(field ? 0 : (m.groups?.[i / 3] ?? 0), look.dark);
      for (let k = 0; k < 3; k++) (tint.array as Float32Array).set(rgb, (i + k) * 3);
    }
    tint.needsUpdate = true;
  }

  private deform(scale: number): void {
    const m = this.model!;
    const warp = scale ? this.field(m.warp) : undefined;
    this.moved = warp ? m.positions.map((x, i) => x + scale * warp.data[i]) : m.positions;
    const at = this.surface.geometry.getAttribute("position") as BufferAttribute;
    const out = at.array as Float32Array;
    m.triangles.forEach((v, i) => {
      out[3 * i] = this.moved[3 * v];
      out[3 * i + 1] = this.moved[3 * v + 1];
      out[3 * i + 2] = this.moved[3 * v + 2];
    });
    at.needsUpdate = true;
    this.surface.geometry.boundingSphere = this.surface.geometry.boundingBox = null;
  }

  private makeLines(kind: Look["edges"]): void {
    this.lines.visible = kind !== "none";
    if (!this.lines.visible) return;
    const ids = kind === "mesh" ? this.model!.meshEdges : this.model!.featureEdges;
    const at = new Float32Array(ids.length * 3);
    ids.forEach((v, i) => at.set(this.moved.subarray(3 * v, 3 * v + 3), 3 * i));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(at, 3));
    this.lines.geometry.dispose();
    this.lines.geometry = geometry;
  }

  /** setSection shows what the clip plane cuts out of the body. */
  setSection(s: Section, normal: [number, number, number]): void {
    const n = s.values.length;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(s.positions, 3));
    geometry.setAttribute("value", new BufferAttribute(s.values, 1));
    const fill = (xyz: readonly number[]) =>
      new BufferAttribute(
        Float32Array.from({ length: n * 3 }, (_, i) => xyz[i % 3]),
        3,
      );
    geometry.setAttribute("normal", fill(normal));
    geometry.setAttribute("tint", fill(tintOf(0, this.look?.dark ?? false)));
    this.cap.geometry.dispose();
    this.cap.geometry = geometry;
    this.cap.visible = n > 0 && this.look?.clip !== undefined;
    this.draw();
  }

  /** view looks from a side, so that all is seen. */
  view(side: string): void {
    const from: Record<string, [number, number, number]> = {
      iso: [1, -1, 0.8],
      front: [0, -1, 0],
      back: [0, 1, 0],
      left: [-1, 0, 0],
      right: [1, 0, 0],
      top: [0, -1e-4, 1],
      bottom: [0, -1e-4, -1],
    };
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (this.radius * 1.12) / Math.sin((this.camera.fov * Math.PI) / 360) / narrow;
    this.controls.target.copy(this.centre);
    this.camera.position
      .copy(this.centre)
      .addScaledVector(new Vector3(...(from[side] ?? from.iso)).normalize(), distance);
    this.camera.near = distance / 80;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  /** turn rotates by degrees, and zooms by a factor. */
  turn(azimuth: number, polar: number, zoom = 1): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const r = arm.length() * zoom;
    const theta = Math.atan2(arm.y, arm.x) + (azimuth * Math.PI) / 180;
    const phi = Math.min(Math.max(Math.acos(arm.z / arm.length()) + (polar * Math.PI) / 180, 1e-3), Math.PI - 1e-3);
    this.camera.position
      .copy(this.controls.target)
      .add(new Vector3(r * Math.sin(phi) * Math.cos(theta), r * Math.sin(phi) * Math.sin(theta), r * Math.cos(phi)));
    this.controls.update();
    this.draw();
  }

  /** probe finds what lies under a place of the canvas, in CSS pixels. */
  probe(x: number, y: number): Hit | undefined {
    const m = this.model;
    if (!m || !this.look) return undefined;
    const box = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((x / box.width) * 2 - 1, 1 - (y / box.height) * 2), this.camera);
    const clip = this.look.clip && new Plane(new Vector3(...this.look.clip.normal), -this.look.clip.offset);
    const hits = ray.intersectObjects(this.cap.visible ? [this.surface, this.cap] : [this.surface], false);
    const hit = hits.find((h) => h.object === this.cap || !clip || clip.distanceToPoint(h.point) <= 0);
    if (!hit?.face) return undefined;
    const { a, b, c } = hit.face;
    const geometry = (hit.object as Mesh).geometry;
    const corners = [a, b, c].map((i) =>
      new Vector3().fromBufferAttribute(geometry.getAttribute("position") as BufferAttribute, i),
    );
    const w = barycentric(hit.point, corners);
    const value = geometry.getAttribute("value") as BufferAttribute;
    const found: Hit = { point: hit.point.toArray() as [number, number, number] };
    if (this.field(this.look.field)) found.value = w[0] * value.getX(a) + w[1] * value.getX(b) + w[2] * value.getX(c);
    if (hit.object === this.surface) {
      const p = m.positions;
      found.group = m.groups?.[hit.faceIndex!];
      found.point = [0, 1, 2].map((k) => [a, b, c].reduce((s, i, j) => s + w[j] * p[3 * m.triangles[i] + k], 0)) as [
        number,
        number,
        number,
      ];
    }
    return found;
  }

  /** place tells where a point of the body lies on the canvas, in CSS pixels. */
  place(p: [number, number, number]): [number, number] {
    const v = new Vector3(...p).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [((v.x + 1) / 2) * box.width, ((1 - v.y) / 2) * box.height];
  }

  /** axes are the directions of x, y and z on the screen. */
  axes(): [number, number][] {
    const inverse = this.camera.quaternion.clone().invert();
    return [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((v) => {
      v.applyQuaternion(inverse);
      return [v.x, -v.y];
    });
  }

  /** picture draws at once, so that the canvas can be copied in the same turn. */
  picture(): HTMLCanvasElement {
    this.renderer.render(this.scene, this.camera);
    return this.canvas;
  }
}

function barycentric(p: Vector3, [a, b, c]: Vector3[]): [number, number, number] {
  const u = b.clone().sub(a);
  const v = c.clone().sub(a);
  const w = p.clone().sub(a);
  const uu = u.dot(u);
  const uv = u.dot(v);
  const vv = v.dot(v);
  const d = uu * vv - uv * uv || 1;
  const s = (vv * w.dot(u) - uv * w.dot(v)) / d;
  const t = (uu * w.dot(v) - uv * w.dot(u)) / d;
  return [1 - s - t, s, t];
}
