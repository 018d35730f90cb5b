# SPDX-License-Identifier: MIT
"""meson-python's build backend, which also says the licences of the wheel as an SPDX expression.
Versions before 0.18 do not know `license-files` and expressions (PEP 639)."""
import base64
import hashlib
import os
import zipfile

import mesonpy

EXPRESSION = "MIT AND GPL-2.0-or-later"


def __getattr__(name):
    return getattr(mesonpy, name)


def build_wheel(folder, *args, **kwargs):
    name = mesonpy.build_wheel(folder, *args, **kwargs)
    state_licences(os.path.join(folder, name))
    return name


def with_licences(metadata, files):
    lines = [line for line in metadata.decode().split("\n")
             if not line.startswith(("Metadata-Version:", "License:", "License-"))]
    lines[0:0] = ["Metadata-Version: 2.4", f"License-Expression: {EXPRESSION}",
                  *(f"License-File: {name}" for name in files)]
    return "\n".join(lines).encode()


def with_hash(record, name, content):
    """RECORD, with the hash and the size of the file `name`."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return "\n".join(f"{name},sha256={digest},{len(content)}" if line.startswith(name + ",")
                     else line for line in record.decode().split("\n")).encode()


def state_licences(wheel):
    with zipfile.ZipFile(wheel) as z:
        files = [(info, z.read(info)) for info in z.infolist()]
    names = [info.filename for info, _ in files]
    metadata = next(n for n in names if n.endswith(".dist-info/METADATA"))
    folder = metadata[:-len("METADATA")]
    licences = [n[len(folder + "licenses/"):] for n in names if n.startswith(folder + "licenses/")]
    content = with_licences(dict(zip(names, (text for _, text in files)))[metadata],
                            sorted(licences))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:
        for info, text in files:
            if info.filename == metadata:
                text = content
            elif info.filename == folder + "RECORD":
                text = with_hash(text, metadata, content)
            z.writestr(info, text)
