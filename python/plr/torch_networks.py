"""The networks of plr train as PyTorch modules; plr.torch loads their weights."""

from __future__ import annotations

import copy
import math
import os
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


class ActionSpace(NamedTuple):
    """The actions of an environment: choices, or floats of a continuous space."""

    counts: tuple[int, ...] = ()  # choices of each word; several if the space is multi-discrete
    low: tuple[float, ...] = ()   # of each float; this and the next if the space is continuous
    high: tuple[float, ...] = ()
    is_discrete: bool = True      # an action is a number, else an array

    @property
    def is_continuous(self) -> bool:
        return bool(self.low)

    @property
    def num_layer_outputs(self) -> int:
        """Outputs of the policy's last layer: logits, or means."""
        return len(self.low) if self.is_continuous else sum(self.counts)


class PolicyOutput(NamedTuple):
    """What a policy computes from observations."""

    # [..., n]: logits of the actions' probabilities, of all words in order; of a continuous space the means, then the
    # logarithms of the standard deviations.
    logits: Tensor
    value: Tensor                # [...]: expected return, in units of the run's normalized rewards
    state: Tensor | None = None  # [B, state_size] after the last step; None if not recurrent


class Policy(nn.Module):
    """A network of plr train. Its subclasses are the architectures."""

    #: Divides observations of bytes.
    scale = 1.0
    #: Number of floats of a recurrent network's state; 0 if the network has none.
    state_size = 0
    #: The logarithms of the standard deviations, of a continuous space.
    log_std: Tensor
    #: The statistics by which observations are normalized, [H, W, C]; None if they are not.
    obs_mean: Tensor | None
    obs_variance: Tensor | None

    def __init__(self, observation_shape: tuple[int, ...], actions: int | ActionSpace) -> None:
        super().__init__()
        self.observation_shape = observation_shape  # [H, W, C], or [n] of vectors
        self.actions = actions if isinstance(actions, ActionSpace) else ActionSpace((actions,))
        self.num_actions = self.actions.num_layer_outputs
        self.has_float_observations = False
        self.observation_clip = math.inf            # of normalized observations
        self.settings: dict[str, Any] = {}          # config.toml of the run
        self.update = 0                             # updates made until the checkpoint
        if self.actions.is_continuous:
            self.log_std = nn.Parameter(torch.zeros(self.num_actions))
        self.register_buffer("obs_mean", None)
        self.register_buffer("obs_variance", None)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """[H, W, C]; a vector of n is an image [1, 1, n]."""
        shape = self.observation_shape
        return (1, 1, shape[0]) if len(shape) == 1 else (shape[0], shape[1], shape[2])

    def forward(self, observations: Tensor, state: Tensor | None = None, begins: Tensor | None = None) -> PolicyOutput:
        """Observations [B, H, W, C] of one step, or [T, B, H, W, C] of T steps, as bytes or floats of the same scale;
        vectors [B, n] or [T, B, n].

        A recurrent network also takes the state before the first step, by default zero, and `begins` [B] or [T, B]:
        true where an episode starts, which zeroes its state; by default nowhere.
        """
        rank = len(self.observation_shape)
        if tuple(observations.shape[-rank:]) != self.observation_shape or observations.dim() - rank not in (1, 2):
            lengths = ", ".join(map(str, self.observation_shape))
            raise ValueError(f"observations must have shape [B, {lengths}] or [T, B, {lengths}], "
                             f"not {list(observations.shape)}")
        batch = observations.shape[:-rank]
        images = self._scaled(observations.reshape(-1, *self.image_shape).to(self._dtype())).permute(0, 3, 1, 2)
        logits, value, state = self._outputs(images, batch, state, begins)
        if self.actions.is_continuous:
            logits = torch.cat([logits, self.log_std.expand_as(logits)], 1)
        return PolicyOutput(logits.unflatten(0, batch), value.squeeze(1).unflatten(0, batch), state)

    def initial_state(self, batch: int) -> Tensor:
        """The state of a recurrent network when an episode starts, [batch, state_size]."""
        return next(self.parameters()).new_zeros(batch, self.state_size)

    def sample(self, output: PolicyOutput, generator: torch.Generator | None = None) -> Tensor:
        """Actions drawn from the policy: [...] of a discrete space, else [..., words]; floats are clipped."""
        if self.actions.is_continuous:
            mean, log_std = output.logits.chunk(2, -1)
            noise = torch.randn(mean.shape, generator=generator, dtype=mean.dtype, device=mean.device)
            return self._clipped(mean + log_std.exp() * noise)
        words = []
        for logits in self._logits_of_words(output):
            flat = torch.multinomial(logits.softmax(-1).flatten(0, -2), 1, generator=generator)
            words.append(flat.view(logits.shape[:-1]))
        return words[0] if self.actions.is_discrete else torch.stack(words, -1)

    def mode(self, output: PolicyOutput) -> Tensor:
        """The most probable actions, in the form of sample()."""
        if self.actions.is_continuous:
            return self._clipped(output.logits.chunk(2, -1)[0])
        words = [logits.argmax(-1) for logits in self._logits_of_words(output)]
        return words[0] if self.actions.is_discrete else torch.stack(words, -1)

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Writes the network as an ONNX model with a batch of any size.

        Inputs: `observations`, bytes or floats of the environment's shape; of a recurrent network also `state`, zero
        at the start of an episode. Outputs: `logits`, `value`, and `next_state`. Raises ImportError if onnx and
        onnxscript are missing.
        """
        try:
            import onnxscript  # noqa: F401  # used by torch's exporter
        except ImportError as error:
            raise ImportError("to_onnx needs onnx and onnxscript: pip install 'level-replay[onnx]'") from error
        policy = copy.deepcopy(self).to("cpu").eval()
        dtype = torch.float32 if self.has_float_observations else torch.uint8
        inputs = {"observations": torch.zeros((2, *self.observation_shape), dtype=dtype)}
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

    def _scaled(self, observations: Tensor) -> Tensor:
        if self.obs_mean is not None and self.obs_variance is not None:
            normalized = (observations - self.obs_mean) * (self.obs_variance + 1e-8).rsqrt()
            return normalized.clamp(-self.observation_clip, self.observation_clip)
        return observations if self.has_float_observations else observations / self.scale

    def _logits_of_words(self, output: PolicyOutput) -> Sequence[Tensor]:
        return [output.logits] if self.actions.is_discrete else output.logits.split(list(self.actions.counts), -1)

    def _clipped(self, actions: Tensor) -> Tensor:
        return actions.clamp(actions.new_tensor(self.actions.low), actions.new_tensor(self.actions.high))

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """From images [N, C, H, W] to logits or means [N, num_actions], values [N, 1] and the state; N is the product
        of batch.
        """
        raise NotImplementedError


class GridCnn(Policy):
    """The network of MiniGrid: three convolutions, and a hidden layer for policy and value each."""

    def __init__(self, observation_shape: tuple[int, ...], actions: int | ActionSpace, *, channels: int = 32,
                 pool: bool = True, shared_hidden: bool = False) -> None:
        super().__init__(observation_shape, actions)
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
        self.policy = nn.Linear(64, self.num_actions)
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

    def __init__(self, observation_shape: tuple[int, ...], actions: int | ActionSpace, *,
                 relu_skip: bool = False) -> None:
        super().__init__(observation_shape, actions)
        height, width = (math.ceil(side / 8) for side in observation_shape[:2])
        self.stage1 = Stage(observation_shape[2], 16, relu_skip)
        self.stage2 = Stage(16, 32, relu_skip)
        self.stage3 = Stage(32, 32, relu_skip)
        self.hidden = nn.Linear(32 * height * width, 256)
        self.value = nn.Linear(256, 1)
        self.policy = nn.Linear(256, self.num_actions)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        x = self.stage3(self.stage2(self.stage1(images)))
        x = self.hidden(_rows(x.relu())).relu()
        return self.policy(x), self.value(x), None


class Dense(nn.Module):
    """Fully connected layers NAME1, NAME2, ... with an activation after each."""

    def __init__(self, name: str, inputs: int, sizes: Sequence[int], activation: str) -> None:
        super().__init__()
        self.activation = torch.tanh if activation == "tanh" else torch.relu
        for number, size in enumerate(sizes, 1):
            self.add_module(f"{name}{number}", nn.Linear(inputs, size))
            inputs = size

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.children():
            x = self.activation(layer(x))
        return x


class Mlp(Policy):
    """Fully connected layers, for vectors."""

    scale = 255.0

    def __init__(self, observation_shape: tuple[int, ...], actions: int | ActionSpace, *,
                 hidden_sizes: Sequence[int] = (64, 64), activation: str = "tanh", shared_trunk: bool = False) -> None:
        super().__init__(observation_shape, actions)
        inputs = math.prod(observation_shape)
        self.shared_trunk = shared_trunk
        self.policy_layers = Dense("hidden" if shared_trunk else "policy_hidden", inputs, hidden_sizes, activation)
        if not shared_trunk:
            self.value_layers = Dense("value_hidden", inputs, hidden_sizes, activation)
        self.policy = nn.Linear(hidden_sizes[-1], self.num_actions)
        self.value = nn.Linear(hidden_sizes[-1], 1)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        row = _rows(images)
        for_policy = self.policy_layers(row)
        for_value = for_policy if self.shared_trunk else self.value_layers(row)
        return self.policy(for_policy), self.value(for_value), None


class Cnn(Policy):
    """Plain convolutions and a hidden layer, for images of any size; conv_layers are (filters, kernel, stride)."""

    scale = 255.0

    def __init__(self, observation_shape: tuple[int, ...], actions: int | ActionSpace, *,
                 conv_layers: Sequence[tuple[int, int, int]], cnn_units: int = 512) -> None:
        super().__init__(observation_shape, actions)
        height, width, inputs = self.image_shape
        self.num_layers = len(conv_layers)
        for number, (filters, kernel, stride) in enumerate(conv_layers, 1):
            self.add_module(f"conv{number}", nn.Conv2d(inputs, filters, kernel, stride))
            height, width = ((side - kernel) // stride + 1 for side in (height, width))
            inputs = filters
        self.hidden = nn.Linear(inputs * height * width, cnn_units)
        self.policy = nn.Linear(cnn_units, self.num_actions)
        self.value = nn.Linear(cnn_units, 1)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        x = images
        for number in range(1, self.num_layers + 1):
            x = self.get_submodule(f"conv{number}")(x).relu()
        x = self.hidden(_rows(x)).relu()
        return self.policy(x), self.value(x), None


class Lstm(Policy):
    """The recurrent network of the maze: a convolution, the agent's direction and an LSTM.

    With num_directions the last channel of an observation is the direction, the same in all cells. With
    encoder_sizes, tanh layers of these sizes take the place of the convolution, for floats. The state is the LSTM's
    cell, then its hidden units.
    """

    def __init__(self, observation_shape: tuple[int, ...], actions: int | ActionSpace, *, lstm_units: int = 256,
                 num_directions: int = 0, encoder_sizes: Sequence[int] = ()) -> None:
        super().__init__(observation_shape, actions)
        height, width, channels = self.image_shape
        self.num_directions = num_directions
        self.channels = channels - (num_directions > 0)
        self.lstm_units = lstm_units
        self.state_size = 2 * lstm_units
        self.encodes = bool(encoder_sizes)
        if self.encodes:
            self.encoder = Dense("encoder", height * width * channels, encoder_sizes, "tanh")
            inputs = encoder_sizes[-1]
        else:
            self.conv = nn.Conv2d(self.channels, 16, 3)
            inputs = 16 * (height - 2) * (width - 2)
        if num_directions > 0:
            self.direction = nn.Linear(num_directions, 5)
            inputs += 5
        self.lstm_input = nn.Linear(inputs, 4 * lstm_units)
        self.lstm_hidden = nn.Linear(lstm_units, 4 * lstm_units, bias=False)
        self.policy_hidden = nn.Linear(lstm_units, 32)
        self.policy = nn.Linear(32, self.num_actions)
        self.value_hidden = nn.Linear(lstm_units, 32)
        self.value = nn.Linear(32, 1)

    def _outputs(self, images: Tensor, batch: torch.Size, state: Tensor | None,
                 begins: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        if self.encodes:
            features = self.encoder(_rows(images))
        else:
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


def _rows(x: Tensor) -> Tensor:
    """[B, C, H, W] to rows of [row][column][channel], the order of the program's memory."""
    return x.permute(0, 2, 3, 1).flatten(1)
