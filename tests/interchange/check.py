#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NumPy and safetensors write files, tests/interchange/copy_files.cpp reads them and writes them again, and what it wrote is read by
NumPy and safetensors and compared bit by bit. Run by hand, where they are installed; PyTorch adds bfloat16. The compiler is $CXX.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

here = pathlib.Path(__file__).resolve().parent
failed = 0


def same(name, theirs, ours):
    global failed
    fits = theirs.shape == ours.shape and theirs.dtype.newbyteorder("=") == ours.dtype.newbyteorder("=")
    fits = fits and theirs.astype(theirs.dtype.newbyteorder("=")).tobytes() == ours.astype(ours.dtype.newbyteorder("=")).tobytes()
    failed += not fits
    print("same    " if fits else "DIFFERS ", name, theirs.dtype.str, theirs.shape)


def model():
    random = np.random.default_rng(3)
    arrays = {f"layers.{i}.{n}": random.normal(size=s).astype(t) for i in (0, 1)
              for n, s, t in (("weight", (4 + i, 3), "f4"), ("bias", (3,), "f8"))}
    arrays["layers.0.weight"][0] = [-0.0, np.inf, np.nan]
    arrays["halves"] = random.normal(size=7).astype("f2")
    arrays["flags"] = np.array([[True, False], [False, True]])
    for kind, name in (("i", "i"), ("u", "u")):
        for size in (1, 2, 4, 8):
            limits = np.iinfo(f"{kind}{size}")
            arrays[f"{name}{8 * size}"] = np.array([limits.min, 1, limits.max], f"{kind}{size}")
    arrays["none"] = np.zeros((4, 0), "f4")
    arrays["number"] = np.array(2.5)
    return arrays


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "ours").mkdir()
    program = folder / "copy_files"
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-I", here.parent.parent / "include",
                    here / "copy_files.cpp", "-o", program], check=True)
    run = lambda what: subprocess.run([program, folder, what], check=True)

    a = np.random.default_rng(1).normal(size=(5, 3)).astype("f4")
    a[0] = [-0.0, np.inf, np.nan]
    np.save(folder / "rows.npy", a)
    np.save(folder / "columns.npy", np.asfortranarray(a))
    np.save(folder / "big_endian.npy", a.astype(">f4"))
    np.save(folder / "big_columns.npy", np.asfortranarray(a.astype(">f4")))
    for version in (2, 3):
        with open(folder / f"version_{version}.npy", "wb") as file:
            np.lib.format.write_array(file, a, version=(version, 0))
    arrays = model()
    np.savez(folder / "model.npz", **arrays)
    run("numpy")
    for path in sorted(folder.glob("*.npy")):
        same(path.name, np.load(path), np.load(folder / "ours" / path.name))
    transposed = np.load(folder / "ours" / "transposed.npy")
    same("transposed.npy", a.T, transposed)
    failed += not transposed.flags.f_contiguous
    for path in ("model.npz", "wide.npz"):
        with np.load(folder / "ours" / path) as ours:
            failed += sorted(ours.keys()) != sorted(arrays)
            for key, value in arrays.items():
                same(f"{path} {key}", value, ours[key])
    print("NumPy", np.__version__)

    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        print("safetensors is not installed")
    else:
        safetensors.numpy.save_file(arrays, folder / "model.safetensors", metadata={"a": "b\"\n\u00e4"})
        run("safetensors")
        ours = safetensors.numpy.load_file(folder / "ours" / "model.safetensors")
        failed += sorted(ours) != sorted(arrays)
        for key, value in arrays.items():
            same(f"model.safetensors {key}", value, ours[key])
        with safetensors.safe_open(folder / "ours" / "model.safetensors", "np") as file:
            failed += file.metadata() != {"a": "b\"\n\u00e4"}
        print("safetensors", safetensors.__version__)
        try:
            import torch
            import safetensors.torch
        except ImportError:
            print("PyTorch is not installed")
        else:
            brain = torch.randn(3, 2).to(torch.bfloat16)
            safetensors.torch.save_file({"brain": brain}, folder / "brain.safetensors")
            run("brain")
            ours = safetensors.torch.load_file(folder / "ours" / "brain.safetensors")["brain"]
            same("brain.safetensors", brain.view(torch.int16).numpy(), ours.view(torch.int16).numpy())
            failed += ours.dtype != torch.bfloat16
            print("PyTorch", torch.__version__)
print("all as they were" if failed == 0 else f"{failed} are not as they were")
sys.exit(failed != 0)
