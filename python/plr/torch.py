"""Trained agents as PyTorch modules, and their export to ONNX.

    policy = plr.torch.load_policy("runs/NAME")            # a torch.nn.Module with the trained weights
    output = policy(observations)                          # bytes [B, H, W, C], as of plr.make_vec
    actions = policy.mode(output)                          # the most probable, or policy.sample(output)

    state = policy.initial_state(B)                        # recurrent networks have a state
    output = policy(observations, state, begins)           # begins [B]: an episode starts here
    state = output.state

    policy.to_onnx("policy.onnx")

The modules compute what the program computes: their outputs equal its own to 1e-5. They need torch
(pip install 'level-replay[train]'); the rest of the package does not.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from plr.runs import FILES, load_settings
from plr.torch_networks import ActionSpace, Cnn, GridCnn, Impala, Lstm, Mlp, Policy, PolicyOutput

__all__ = ["ActionSpace", "Cnn", "GridCnn", "Impala", "Lstm", "Mlp", "Policy", "PolicyOutput", "load_policy",
           "load_safetensors", "make_policy"]

Weights = Mapping[str, Tensor]


def load_policy(run: str | os.PathLike[str], *, device: str | torch.device = "cpu") -> Policy:
    """The agent of a run's newest checkpoint, in evaluation mode.

    Raises FileNotFoundError if the folder holds no run or no checkpoint, ValueError if the checkpoint is damaged.
    """
    folder = pathlib.Path(run)
    settings = load_settings(folder)
    checkpoint = _newest_checkpoint(folder / FILES["checkpoints"])
    weights = load_safetensors(checkpoint / "tensors.safetensors")
    shape, actions, has_floats = _saved_spaces(checkpoint) or _spaces(settings)
    policy = make_policy(weights, shape, actions=actions, settings=settings)
    policy.has_float_observations = has_floats
    policy.settings = settings
    policy.update = int(checkpoint.name.removeprefix("update-"))
    policy.to(device).eval()
    return policy


def make_policy(weights: Weights, observation_shape: tuple[int, ...], *, pool: bool = True, relu_skip: bool = False,
                actions: ActionSpace | None = None, settings: Mapping[str, Any] | None = None) -> Policy:
    """The network that these weights belong to, with the names that plr train gives them; other tensors are ignored.

    `settings` are those of the run, for what weights do not show; of the grid CNN and the IMPALA network also `pool`
    and `relu_skip`. `actions` is the space if it is not discrete.
    """
    if "policy.b" not in weights:
        raise ValueError("the tensors are not those of an agent: policy.b is missing")
    settings = settings or {}
    space = actions or ActionSpace((len(weights["policy.b"]),))
    policy: Policy
    if "lstm_hidden.w" in weights:
        policy = Lstm(observation_shape, space, lstm_units=weights["lstm_hidden.w"].shape[1],
                      num_directions=weights["direction.w"].shape[1] if "direction.w" in weights else 0,
                      encoder_sizes=_sizes(weights, "encoder"))
    elif "stage1.conv.w" in weights:
        policy = Impala(observation_shape, space, relu_skip=settings.get("relu_skip", relu_skip))
    elif "hidden1.b" in weights or "policy_hidden1.b" in weights:
        shared = "hidden1.b" in weights
        policy = Mlp(observation_shape, space, hidden_sizes=_sizes(weights, "hidden" if shared else "policy_hidden"),
                     activation=settings.get("activation", "tanh"), shared_trunk=shared)
    elif settings.get("network") == "cnn" or ("conv1.w" in weights and weights["conv1.w"].shape[-1] != 2):
        text = settings.get("conv_layers", "32x8/4,64x4/2,64x3/1")
        layers = [tuple(int(number) for number in re.split("[x/]", layer)) for layer in text.split(",")]
        policy = Cnn(observation_shape, space, conv_layers=[(layer[0], layer[1], layer[2]) for layer in layers],
                     cnn_units=len(weights["hidden.b"]))
    elif "conv3.b" in weights:
        policy = GridCnn(observation_shape, space, channels=len(weights["conv3.b"]),
                         pool=settings.get("pool", pool), shared_hidden="hidden.w" in weights)
    else:
        raise ValueError("the tensors are not those of a network of plr train")
    with torch.no_grad():
        for name, parameter in policy.named_parameters():
            parameter.copy_(_weight(weights, name, parameter.shape))
    if "obs_mean" in weights:
        policy.obs_mean = weights["obs_mean"].reshape(policy.image_shape).clone()
        policy.obs_variance = weights["obs_variance"].reshape(policy.image_shape).clone()
        policy.observation_clip = float(settings.get("observation_clip", 10))
    return policy


def _sizes(weights: Weights, name: str) -> list[int]:
    """The sizes of the layers NAME1, NAME2, ..."""
    sizes: list[int] = []
    while f"{name}{len(sizes) + 1}.b" in weights:
        sizes.append(len(weights[f"{name}{len(sizes) + 1}.b"]))
    return sizes


def load_safetensors(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The 32-bit floats of a safetensors file. Raises ValueError if the file is damaged."""
    data = pathlib.Path(path).read_bytes()
    try:
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        tensors = {}
        for name, entry in header.items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            first, last = entry["data_offsets"]
            elements = torch.frombuffer(bytearray(data[start + first:start + last]), dtype=torch.float32)
            tensors[name] = elements.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, RuntimeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    return tensors


def _weight(weights: Weights, name: str, shape: torch.Size) -> Tensor:
    """The weights for a parameter of a module, in its shape."""
    for group in ("policy_layers.", "value_layers.", "encoder."):
        name = name.removeprefix(group)
    theirs = re.sub("weight$", "w", re.sub("bias$", "b", name))
    if theirs not in weights:
        raise ValueError(f"the tensors of the agent are incomplete: {theirs} is missing")
    tensor = weights[theirs]
    if tensor.dim() == 4 and len(shape) == 2:  # a dense layer above an image is saved as [out, C, H, W]
        tensor = tensor.permute(0, 2, 3, 1).flatten(1)
    if tensor.shape != shape:
        raise ValueError(f"{theirs} must have shape {list(shape)} for these observations, not {list(tensor.shape)}")
    return tensor


def _newest_checkpoint(folder: pathlib.Path) -> pathlib.Path:
    names = [path for path in folder.glob("update-*") if re.fullmatch(r"update-\d+", path.name)]
    if not names:
        raise FileNotFoundError(f"{folder} has no checkpoint: the run has not saved one yet")
    return max(names, key=lambda path: int(path.name.removeprefix("update-")))


def _saved_spaces(checkpoint: pathlib.Path) -> tuple[tuple[int, ...], ActionSpace, bool] | None:
    """What _spaces returns, from the checkpoint, so that the environment need not exist; None in those of 0.2.0."""
    path = checkpoint / "checkpoint.json"
    try:
        spaces = json.loads(path.read_text(encoding="utf-8"))["facts"].get("spaces")
        if spaces is None:
            return None
        shape = tuple(spaces["observation_shape"])
        return (shape[2:] if shape[:2] == (1, 1) else shape, _actions(spaces["actions"]),
                spaces["observation_type"] == "float")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _actions(parts: Mapping[str, Any]) -> ActionSpace:
    """Bounds of a file are None where they are infinite."""
    low = (-math.inf if bound is None else bound for bound in parts["low"])
    high = (math.inf if bound is None else bound for bound in parts["high"])
    return ActionSpace(tuple(parts["counts"]), tuple(low), tuple(high), parts["kind"] == "discrete")


def _spaces(settings: Mapping[str, Any]) -> tuple[tuple[int, ...], ActionSpace | None, bool]:
    """The shape of the observations on which the agent was trained, its actions unless they follow from the weights,
    and whether observations are floats; Procgen need not be installed for its own.
    """
    from plr._core import Environment

    if settings["env"].startswith("procgen/"):
        return (64, 64, 3), None, False
    environment = Environment(settings["env"], 1, observation=settings["observation"])
    observations = environment.arrays()["observations"]
    return tuple(observations.shape[1:]), _actions(environment.action_space), observations.dtype.kind == "f"
