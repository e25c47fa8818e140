"""The files that cells make."""

import os


class Folder:
    """Tells after each cell which files it made or changed."""

    def __init__(self, path):
        self.path = path
        self._seen = {}

    def changed(self):
        """Paths relative to the folder, sorted; hidden ones and bytecode are left out."""
        now, new = {}, []
        for folder, folders, names in os.walk(self.path):
            folders[:] = [f for f in folders if not f.startswith(".") and f != "__pycache__"]
            for name in names:
                path = os.path.join(folder, name)
                if name.startswith(".") or not path.isprintable():  # nor bytes that are not UTF-8
                    continue
                try:
                    state = os.lstat(path)
                except OSError:
                    continue
                now[path] = (state.st_mtime_ns, state.st_size, state.st_ino)
                if self._seen.get(path) != now[path]:
                    new.append(os.path.relpath(path, self.path))
        self._seen = now
        return sorted(new)
