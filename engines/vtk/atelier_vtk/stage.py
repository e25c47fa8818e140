"""The off-screen window: draws actors through a camera and reads its buffers back."""

import contextlib

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkFloatArray, vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkLight, vtkRenderer, vtkRenderWindow
from vtkmodules.vtkRenderingOpenGL2 import vtkOpenGLRenderer  # noqa: F401  registers the OpenGL classes

from .cameras import FIELD_OF_VIEW
from .codes import BUFFER_EXTRACTION_FAILED as BUFFER
from .codes import HEADLESS_CONTEXT_FAILED as HEADLESS
from .protocol import Error

# From left above, so that faces at an angle to each other differ; key, fill, and from the eye.
_LIGHTS = (((-0.45, 0.65, 1.0), 0.62), ((0.9, -0.15, 0.5), 0.2), ((0.0, 0.0, 1.0), 0.22))

_VTK_OK = 1  # what VTK's readers of buffers return when OpenGL reported no error


class Stage:
    """One window with one renderer, used for all pictures of a job."""

    def __init__(self):
        self.window = vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(0)
        self.window.SetSize(64, 64)
        self.renderer = vtkRenderer()
        self.renderer.AutomaticLightCreationOff()
        self.window.AddRenderer(self.renderer)
        self.window.Render()
        if not self.window.SupportsOpenGL():
            raise Error(HEADLESS, "The OpenGL driver cannot draw (OpenGL 3.2 is needed).")

    def driver(self):
        """The driver's name, for metrics."""
        for line in self.window.ReportCapabilities().splitlines():
            if line.startswith("OpenGL renderer string:"):
                return line.split(":", 1)[1].strip()
        return "unknown"

    def light(self, plain):
        """Three camera lights; plain is one from the eye that leaves a facing surface's colour as it is."""
        self.renderer.RemoveAllLights()
        for position, intensity in (((0.0, 0.0, 1.0), 1.0),) if plain else _LIGHTS:
            light = vtkLight()
            light.SetLightTypeToCameraLight()
            light.SetPosition(*position)
            light.SetFocalPoint(0, 0, 0)
            light.SetIntensity(intensity)
            self.renderer.AddLight(light)

    def background(self, bottom, top=None):
        """A plain background, or a gradient from bottom to top; components 0 to 1."""
        self.renderer.SetBackground(*bottom)
        self.renderer.SetGradientBackground(top is not None)
        if top is not None:
            self.renderer.SetBackground2(*top)

    def show(self, actors):
        """Replaces what is drawn."""
        self.renderer.RemoveAllViewProps()
        for actor in actors:
            self.renderer.AddActor(actor)

    def draw(self, camera, width, height, samples):
        """Draws at a size in pixels with a number of samples per pixel."""
        self.window.SetMultiSamples(samples)
        self.window.SetSize(width, height)
        eye = self.renderer.GetActiveCamera()
        eye.SetPosition(*camera.position)
        eye.SetFocalPoint(*camera.focal_point)
        eye.SetViewUp(*camera.view_up)
        eye.SetViewAngle(FIELD_OF_VIEW)
        eye.SetClippingRange(camera.near, camera.far)
        self.window.Render()

    def colours(self):
        """The picture (height, width, 3) uint8, first row at the top."""
        width, height = self.window.GetSize()
        array = vtkUnsignedCharArray()
        done = self.window.GetPixelData(0, 0, width - 1, height - 1, 0, array, 0)
        if done != _VTK_OK or array.GetNumberOfValues() != 3 * width * height:
            raise Error(BUFFER, "The colours could not be read back.")
        return vtk_to_numpy(array).reshape(height, width, 3)[::-1]

    def depths(self):
        """Distance along the line of sight (height, width) float32 in scene units; 0 where nothing is."""
        width, height = self.window.GetSize()
        array = vtkFloatArray()
        done = self.window.GetZbufferData(0, 0, width - 1, height - 1, array)
        if done != _VTK_OK or array.GetNumberOfValues() != width * height:
            hint = "Set output_depth and output_normal to false."
            raise Error(BUFFER, "The depth buffer could not be read back.", hint)
        depth = vtk_to_numpy(array).reshape(height, width)[::-1].copy()
        near, far = self.renderer.GetActiveCamera().GetClippingRange()
        for rows in np.array_split(depth, max(1, height // 256)):  # double precision for a part at a time
            stored = rows.astype(np.float64)
            rows[:] = np.where(stored < 1.0, near * far / (far - stored * (far - near)), 0.0)
        return depth


def rehearse(stage):
    """Draws a small thing in all the ways there are, so that the driver has its shaders compiled."""
    from . import cameras, colormaps, scene

    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    three = np.arange(3)
    shell = scene.Shell(points, np.tile([0.0, 0, 1], (3, 1)), three[None], three, three)
    lut = scene.lookup(colormaps.table("gray"), 0.0, 1.0)
    line = scene.line_actor(points, np.array([[0, 1]]), scene.LINE_COLOUR, 2.6)
    eye, target, up = np.array([[0.3, 0.3, 3], [0.3, 0.3, 0], [0, 1, 0]])
    camera = cameras.Camera(eye, target, up, 1, 5, 64, 64)
    stage.background((1.0, 1.0, 1.0))
    for actors, plain in (
        ([scene.normal_actor(shell)], True),
        ([line, scene.surface_actor(shell)], False),
        ([line, scene.surface_actor(shell, point_values=points[:, 0], lut=lut)], False),
    ):
        stage.show(actors)
        stage.light(plain)
        stage.draw(camera, 64, 64, 0)
        with contextlib.suppress(Error):  # a job that needs what cannot be read will say so
            stage.depths()
            stage.colours()
    stage.show([])
