"""Writes solids with known surfaces and fields as VTU files, in each encoding that VTK has."""

import sys

import vtk

folder = sys.argv[1]


def grid(points, cells):
    g = vtk.vtkUnstructuredGrid()
    p = vtk.vtkPoints()
    for xyz in points:
        p.InsertNextPoint(*xyz)
    g.SetPoints(p)
    for kind, ids in cells:
        g.InsertNextCell(kind, len(ids), ids)
    linear = vtk.vtkFloatArray()  # f = x + 2 y + 4 z, which linear cells hold exactly
    linear.SetName("linear")
    move = vtk.vtkFloatArray()
    move.SetName("displacement")
    move.SetNumberOfComponents(3)
    for x, y, z in points:
        linear.InsertNextValue(x + 2 * y + 4 * z)
        move.InsertNextTuple3(0, 0, 0.1 * z)
    number = vtk.vtkFloatArray()
    number.SetName("number")
    for i in range(len(cells)):
        number.InsertNextValue(i)
    g.GetPointData().AddArray(linear)
    g.GetPointData().AddArray(move)
    g.GetCellData().AddArray(number)
    return g


def bricks():
    """Two unit cubes side by side: 2 x 1 x 1, surface 10, one face between them."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]

    def at(x, y, z):
        return x + 3 * y + 6 * z

    cells = []
    for x in (0, 1):
        ring = [(x, 0), (x + 1, 0), (x + 1, 1), (x, 1)]
        cells.append((vtk.VTK_HEXAHEDRON, [at(i, j, 0) for i, j in ring] + [at(i, j, 1) for i, j in ring]))
    return grid(points, cells)


def wedge():
    """Half a unit cube."""
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)]
    return grid(points, [(vtk.VTK_WEDGE, [0, 1, 2, 3, 4, 5])])


def quadratic():
    """The corner of the unit cube, as a straight quadratic tetrahedron."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    edges = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    mids = [tuple((corners[a][k] + corners[b][k]) / 2 for k in range(3)) for a, b in edges]
    return grid(corners + mids, [(vtk.VTK_QUADRATIC_TETRA, list(range(10)))])


def write(g, name, mode, compressed, header):
    w = vtk.vtkXMLUnstructuredGridWriter()
    w.SetFileName(f"{folder}/{name}.vtu")
    w.SetInputData(g)
    w.SetDataMode({"ascii": w.Ascii, "binary": w.Binary, "appended": w.Appended}[mode])
    w.SetEncodeAppendedData(0)
    if compressed:
        w.SetCompressorTypeToZLib()
    else:
        w.SetCompressorTypeToNone()
    if header == 64:
        w.SetHeaderTypeToUInt64()
    else:
        w.SetHeaderTypeToUInt32()
    w.Write()


for mode in ("ascii", "binary", "appended"):
    for compressed in (False, True):
        for header in (32, 64):
            name = f"bricks-{mode}-{'zlib' if compressed else 'plain'}-{header}"
            write(bricks(), name, mode, compressed, header)
write(wedge(), "wedge", "appended", True, 64)
write(quadratic(), "quadratic", "appended", True, 64)
