"""Trained agents as PyTorch modules, and their export to ONNX.

    policy = plr.torch.load_policy("runs/NAME")            # a torch.nn.Module with the trained weights
    output = policy(observations)                          # bytes [B, H, W, C], as of plr.make_vec
    actions = output.logits.argmax(1)                      # or policy.sample(output)

    state = policy.initial_state(B)                        # recurrent networks have a state
    output = policy(observations, state, begins)           # begins [B]: an episode starts here
    state = output.state

    policy.to_onnx("policy.onnx")

The modules compute what the program computes: their outputs equal its own to 1e-5. They need torch
(pip install 'level-replay[train]'); the rest of the package does not.
"""

from __future__ import annotations

import copy
import json
import math
import os
import pathlib
import re
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from plr.runs import FILES, load_settings

Weights = Mapping[str, Tensor]


class PolicyOutput(NamedTuple):
    """What a policy computes from observations."""

    logits: Tensor               # [..., num_actions]: of the actions' probabilities
    value: Tensor                # [...]: expected return, in units of the run's normalized rewards
    state: Tensor | None = None  # [B, state_size] after the last step; None if not recurrent


class Policy(nn.Module):
    """A network of plr train. Its subclasses are the architectures."""

    #: Divides the observations.
    scale = 1.0
    #: Number of floats of a recurrent network's state; 0 if the network has none.
    state_size = 0

    def __init__(self, observation_shape: tuple[int, int, int], num_actions: int) -> None:
        super().__init__()
        self.observation_shape = observation_shape  # [H, W, C]
        self.num_actions = num_actions
        self.settings: dict[str, Any] = {}          # config.toml of the run
        self.update = 0                             # updates made until the checkpoint

    def forward(self, observations: Tensor, state: Tensor | None = None, begins: Tensor | None = None) -> PolicyOutput:
        """Observations [B, H, W, C] of one step, or [T, B, H, W, C] of T steps, as bytes or floats of the same scale.

        A recurrent network also takes the state before the first step, by default zero, and `begins` [B] or [T, B]:
        true where an episode starts, which zeroes its state; by default nowhere.
        """
        if tuple(observations.shape[-3:]) != self.observation_shape or observations.dim() not in (4, 5):
            h, w, c = self.observation_shape
            raise ValueError(f"observations must have shape [B, {h}, {w}, {c}] or [T, B, {h}, {w}, {c}], "
                             f"not {list(observations.shape)}")
        images = observations.flatten(0, -4).to(self._dtype()).permute(0, 3, 1, 2) / self.scale
        batch = observations.shape[:-3]
        logits, value, state = self._outputs(images, batch, state, begins)
        return PolicyOutput(logits.unflatten(0, batch), value.squeeze(1).unflatten(0, batch), state)

    def initial_state(self, batch: int) -> Tensor:
        """The state of a recurrent network when an episode starts, [batch, state_size]."""
        return next(self.parameters()).new_zeros(batch, self.state_size)

    def sample(self, output: PolicyOutput, generator: torch.Generator | None = None) -> Tensor:
        """Actions drawn from the policy, [...]."""
        probabilities = output.logits.softmax(-1)
        flat = torch.multinomial(probabilities.flatten(0, -2), 1, generator=generator)
        return flat.view(output.logits.shape[:-1])

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes the network as an ONNX model with a batch of any size.

        Inputs: `observations`, bytes [B, H, W, C]; of a recurrent network also `state`, zero at the start of an
        episode. Outputs: `logits`, `value`, and `next_state`. Raises ImportError if onnx and onnxscript are missing.
        """
        try:
            import onnxscript  # noqa: F401  # used by torch's exporter
        except ImportError as error:
            raise ImportError("to_onnx needs onnx and onnxscript: pip install 'level-replay[onnx]'") from error
        policy = copy.deepcopy(self).to("cpu").eval()
        inputs = {"observations": torch.zeros((2, *self.observation_shape), dtype=torch.uint8)}
        outputs = ["logits", "value"]
        if self.state_size > 0:
            inputs["state"] = policy.initial_state(2)
            outputs.append("next_state")
        batch = torch.export.Dim("batch", min=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of torch about torch
            torch.onnx.export(_Step(policy), kwargs=inputs, f=os.fspath(path), input_names=list(inputs),
                              output_names=outputs, dynamic_shapes={name: {0: batch} for name in inputs},
                              dynamo=True, external_data=False, verbose=False)

    def _dtype(self) -> torch.dtype:
        return next(self.parameters()).dtype

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """From images [N, C, H, W] to logits [N, num_actions], values [N, 1] and the state; N is the product of batch."""
        raise NotImplementedError


class GridCnn(Policy):
    """The network of MiniGrid: three convolutions, and a hidden layer for policy and value each."""

    def __init__(self, observation_shape: tuple[int, int, int], num_actions: int, *, channels: int = 32,
                 pool: bool = True, shared_hidden: bool = False) -> None:
        super().__init__(observation_shape, num_actions)
        height, width = (((side - 1) // 2 if pool else side - 1) - 2 for side in observation_shape[:2])
        self.pool = pool
        self.conv1 = nn.Conv2d(observation_shape[2], 16, 2)
        self.conv2 = nn.Conv2d(16, 32, 2)
        self.conv3 = nn.Conv2d(32, channels, 2)
        inputs = channels * height * width
        if shared_hidden:
            self.hidden = nn.Linear(inputs, 64)
        else:
            self.actor_hidden = nn.Linear(inputs, 64)
            self.critic_hidden = nn.Linear(inputs, 64)
        self.shared_hidden = shared_hidden
        self.policy = nn.Linear(64, num_actions)
        self.value = nn.Linear(64, 1)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        x = self.conv1(images)
        if self.pool:
            x = functional.max_pool2d(x, 2)
        x = self.conv3(self.conv2(x.relu()).relu()).relu()
        rows = _rows(x)
        if self.shared_hidden:
            for_policy = for_value = self.hidden(rows).tanh()
        else:
            for_policy, for_value = self.actor_hidden(rows).tanh(), self.critic_hidden(rows).tanh()
        return self.policy(for_policy), self.value(for_value), None


class ResidualBlock(nn.Module):
    """Two convolutions and a skip, which is ReLU(x) with relu_skip and x without."""

    def __init__(self, channels: int, relu_skip: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.relu_skip = relu_skip

    def forward(self, x: Tensor) -> Tensor:
        activated = x.relu()
        change: Tensor = self.conv2(self.conv1(activated).relu())
        return change + (activated if self.relu_skip else x)


class Stage(nn.Module):
    """A convolution, a max-pool that halves the image, and two residual blocks."""

    def __init__(self, inputs: int, outputs: int, relu_skip: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.block1 = ResidualBlock(outputs, relu_skip)
        self.block2 = ResidualBlock(outputs, relu_skip)

    def forward(self, images: Tensor) -> Tensor:
        x = functional.max_pool2d(self.conv(images), 3, stride=2, padding=1)
        result: Tensor = self.block2(self.block1(x))
        return result


class Impala(Policy):
    """The IMPALA network of Procgen: three stages of residual blocks and a hidden layer."""

    scale = 255.0

    def __init__(self, observation_shape: tuple[int, int, int], num_actions: int, *, relu_skip: bool = False) -> None:
        super().__init__(observation_shape, num_actions)
        height, width = (math.ceil(side / 8) for side in observation_shape[:2])
        self.stage1 = Stage(observation_shape[2], 16, relu_skip)
        self.stage2 = Stage(16, 32, relu_skip)
        self.stage3 = Stage(32, 32, relu_skip)
        self.hidden = nn.Linear(32 * height * width, 256)
        self.value = nn.Linear(256, 1)
        self.policy = nn.Linear(256, num_actions)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        x = self.stage3(self.stage2(self.stage1(images)))
        x = self.hidden(_rows(x.relu())).relu()
        return self.policy(x), self.value(x), None


class Lstm(Policy):
    """The recurrent network of the maze: a convolution, the agent's direction and an LSTM.

    With num_directions the last channel of an observation is the direction, the same in all cells. The state is the
    LSTM's cell, then its hidden units.
    """

    def __init__(self, observation_shape: tuple[int, int, int], num_actions: int, *, lstm_units: int = 256,
                 num_directions: int = 0) -> None:
        super().__init__(observation_shape, num_actions)
        height, width, channels = observation_shape
        self.num_directions = num_directions
        self.channels = channels - (num_directions > 0)
        self.lstm_units = lstm_units
        self.state_size = 2 * lstm_units
        self.conv = nn.Conv2d(self.channels, 16, 3)
        inputs = 16 * (height - 2) * (width - 2)
        if num_directions > 0:
            self.direction = nn.Linear(num_directions, 5)
            inputs += 5
        self.lstm_input = nn.Linear(inputs, 4 * lstm_units)
        self.lstm_hidden = nn.Linear(lstm_units, 4 * lstm_units, bias=False)
        self.policy_hidden = nn.Linear(lstm_units, 32)
        self.policy = nn.Linear(32, num_actions)
        self.value_hidden = nn.Linear(lstm_units, 32)
        self.value = nn.Linear(32, 1)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        features = _rows(self.conv(images[:, :self.channels] / 10).relu())
        if self.num_directions > 0:
            one_hot = functional.one_hot(images[:, self.channels, 0, 0].long(), self.num_directions)
            features = torch.cat([features, self.direction(one_hot.to(features.dtype))], 1)
        gates = self.lstm_input(features)
        if len(batch) == 1:
            hidden, state = self._cell(gates, state, begins)
        else:
            outputs = []
            for t, step in enumerate(gates.unflatten(0, batch)):
                output, state = self._cell(step, state, None if begins is None else begins[t])
                outputs.append(output)
            hidden = torch.cat(outputs)
        logits = self.policy(self.policy_hidden(hidden).relu())
        return logits, self.value(self.value_hidden(hidden).relu()), state

    def _cell(self, gates: Tensor, state: Tensor | None, begins: Tensor | None) -> tuple[Tensor, Tensor]:
        """One step of the LSTM: its hidden units and the state after it."""
        if state is None:
            state = gates.new_zeros(gates.shape[0], self.state_size)
        if begins is not None:
            state = state * (1 - begins.to(state.dtype)).unsqueeze(1)
        cell, hidden = state.chunk(2, 1)
        i, f, g, o = (gates + self.lstm_hidden(hidden)).chunk(4, 1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        hidden = o.sigmoid() * cell.tanh()
        return hidden, torch.cat([cell, hidden], 1)


class _Step(nn.Module):
    """One step of a policy, with outputs as a tuple: what is exported."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observations: Tensor, state: Tensor | None = None) -> tuple[Tensor, ...]:
        return tuple(output for output in self.policy(observations, state) if output is not None)


def load_policy(run: str | os.PathLike[str], *, device: str | torch.device = "cpu") -> Policy:
    """The agent of a run's newest checkpoint, in evaluation mode.

    Raises FileNotFoundError if the folder holds no run or no checkpoint, ValueError if the checkpoint is damaged.
    """
    folder = pathlib.Path(run)
    settings = load_settings(folder)
    checkpoint = _newest_checkpoint(folder / FILES["checkpoints"])
    weights = load_safetensors(checkpoint / "tensors.safetensors")
    policy = make_policy(weights, _observation_shape(settings), pool=settings.get("pool", True),
                         relu_skip=settings.get("relu_skip", False))
    policy.settings = settings
    policy.update = int(checkpoint.name.removeprefix("update-"))
    policy.to(device).eval()
    return policy


def make_policy(weights: Weights, observation_shape: tuple[int, int, int], *, pool: bool = True,
                relu_skip: bool = False) -> Policy:
    """The network that these weights belong to, with the names that plr train gives them; other tensors are ignored.

    `pool` (grid CNN) and `relu_skip` (IMPALA network) are the settings that weights do not show.
    """
    if "policy.b" not in weights:
        raise ValueError("the tensors are not those of an agent: policy.b is missing")
    num_actions = len(weights["policy.b"])
    policy: Policy
    if "lstm_hidden.w" in weights:
        policy = Lstm(observation_shape, num_actions, lstm_units=weights["lstm_hidden.w"].shape[1],
                      num_directions=weights["direction.w"].shape[1] if "direction.w" in weights else 0)
    elif "stage1.conv.w" in weights:
        policy = Impala(observation_shape, num_actions, relu_skip=relu_skip)
    elif "conv3.b" in weights:
        policy = GridCnn(observation_shape, num_actions, channels=len(weights["conv3.b"]), pool=pool,
                         shared_hidden="hidden.w" in weights)
    else:
        raise ValueError("the tensors are not those of a network of plr train")
    with torch.no_grad():
        for name, parameter in policy.named_parameters():
            parameter.copy_(_weight(weights, name, parameter.shape))
    return policy


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


def _rows(x: Tensor) -> Tensor:
    """[B, C, H, W] to rows of [row][column][channel], the order of the program's memory."""
    return x.permute(0, 2, 3, 1).flatten(1)


def _weight(weights: Weights, name: str, shape: torch.Size) -> Tensor:
    """The weights for a parameter of a module, in its shape."""
    theirs = name.removesuffix("weight").removesuffix("bias") + ("w" if name.endswith("weight") else "b")
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


def _observation_shape(settings: Mapping[str, Any]) -> tuple[int, int, int]:
    """The shape of the observations on which the agent was trained; Procgen need not be installed for its own."""
    from plr._core import Environment

    if settings["env"].startswith("procgen/"):
        return 64, 64, 3
    environment = Environment(settings["env"], 1, observation=settings["observation"])
    height, width, channels = environment.arrays()["observations"].shape[1:]
    return height, width, channels
