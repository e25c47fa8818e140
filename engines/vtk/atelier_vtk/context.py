"""Makes sure that an off-screen OpenGL context can be had before VTK asks for one.

VTK ends the process with a segmentation fault when EGL or its software driver is
missing, so what it would load is looked for first.
"""

import ctypes
import glob
import os
import sys

from .codes import HEADLESS_CONTEXT_FAILED as HEADLESS
from .protocol import Error

HINT = "Install the software OpenGL driver: apt-get install --no-install-recommends libegl1 libgl1-mesa-dri"

# Debian, Fedora and Arch keep the drivers in these places; LIBGL_DRIVERS_PATH overrides them.
_DRIVER_PLACES = (
    "/usr/lib/*-linux-gnu/dri/*_dri.so",
    "/usr/lib64/dri/*_dri.so",
    "/usr/lib/dri/*_dri.so",
    "/usr/lib/*-linux-gnu/libgallium*.so",
    "/usr/lib64/libgallium*.so",
    "/usr/lib/libgallium*.so",
    "/usr/lib/*-linux-gnu/libEGL_nvidia.so.0",
    "/usr/lib64/libEGL_nvidia.so.0",
)


def prepare():
    """Sets what VTK and Mesa read from the environment; call before importing VTK."""
    if sys.platform.startswith("linux"):
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    # The sandbox has no home to keep compiled shaders in.
    os.environ.setdefault("MESA_SHADER_CACHE_DISABLE", "true")


def check():
    """Raises ERR_HEADLESS_CONTEXT_FAILED when no context could be made here."""
    if not sys.platform.startswith("linux"):
        return
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError as fault:
        raise Error(HEADLESS, f"libEGL cannot be loaded: {fault}", HINT) from None
    places = list(_DRIVER_PLACES)
    for folder in os.environ.get("LIBGL_DRIVERS_PATH", "").split(":"):
        if folder:
            places.append(os.path.join(folder, "*_dri.so"))
    if not any(glob.glob(place) for place in places):
        raise Error(HEADLESS, "There is no off-screen OpenGL driver (Mesa's llvmpipe).", HINT)
    _initialise(egl)


def _initialise(egl):
    """Opens the surfaceless display, as VTK will; an error here would be a crash there."""
    platform_surfaceless_mesa = 0x31DD
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    address = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    display = None
    if address:
        signature = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
        display = signature(address)(platform_surfaceless_mesa, None, None)
    if not display:
        egl.eglGetDisplay.restype = ctypes.c_void_p
        egl.eglGetDisplay.argtypes = [ctypes.c_void_p]
        display = egl.eglGetDisplay(None)
    egl.eglInitialize.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    if not display or not egl.eglInitialize(display, None, None):
        egl.eglGetError.restype = ctypes.c_int
        raise Error(HEADLESS, f"EGL cannot be initialised (error {egl.eglGetError():#x}).", HINT)
