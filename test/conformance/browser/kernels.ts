// What geometry.mjs tests of the workbench.
export { edges, weld } from "../../../workbench/src/viewer/edges";
export { rangesOf } from "../../../workbench/src/viewer/model";
export { boundary, section } from "../../../workbench/src/viewer/surface";
export { readOBJ, readSTL } from "../../../workbench/src/viewer/text";
export { readVTU } from "../../../workbench/src/viewer/vtu";
