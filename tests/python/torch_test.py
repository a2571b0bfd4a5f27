"""plr.torch computes what the program computes, and exports it to ONNX."""

import json
import math
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import plr  # noqa: E402
import plr.torch  # noqa: E402

torch.set_num_threads(1)

GOLDEN = pathlib.Path(os.environ.get("PLR_GOLDEN") or pathlib.Path(__file__).parents[1] / "golden")


class Record:
    """A record of tensors: X.json lists those in X.bin."""

    def __init__(self, name):
        self.settings = json.loads((GOLDEN / f"{name}.json").read_text())
        data = (GOLDEN / f"{name}.bin").read_bytes()
        types = {"f32": np.float32, "f64": np.float64, "u8": np.uint8, "i32": np.int32}
        self.tensors = {}
        for entry in self.settings["tensors"]:
            count = int(np.prod(entry["shape"]))
            array = np.frombuffer(data, types[entry["dtype"]], count, entry["offset"]).reshape(entry["shape"])
            self.tensors[entry["name"]] = torch.from_numpy(array.copy())

    def __getitem__(self, name):
        return self.tensors[name]


def distance(a, b):
    return (a.detach() - b).abs().max().item()


def recorded_policy(record, **settings):
    """The network of a record of nets/. Its dense layers above images are flattened as [channel][row][column]."""
    _, channels, height, width = record["obs"].shape
    weights = {name[2:]: tensor for name, tensor in record.tensors.items() if name.startswith("w/")}
    features = 32 if "stage1.conv.w" in weights else len(weights["conv3.b"])
    for name in ("hidden.w", "actor_hidden.w", "critic_hidden.w"):
        if name in weights:
            outputs, inputs = weights[name].shape
            side = int((inputs // features) ** 0.5)
            weights[name] = weights[name].reshape(outputs, features, side, side)
    return plr.torch.make_policy(weights, (height, width, channels), **settings)


@pytest.mark.parametrize("name, variant", [("minigrid14", ""), ("minigrid19", ""), ("procgen64", "/relu_skip"),
                                           ("procgen64", "/skip_x")])
def test_outputs_equal_the_recorded_ones(name, variant):
    record = Record("nets/" + name)
    policy = recorded_policy(record, relu_skip=variant == "/relu_skip")
    assert sum(parameter.numel() for parameter in policy.parameters()) == record.settings["params"]
    output = policy(record["obs"].permute(0, 2, 3, 1))
    assert output.state is None
    assert distance(output.logits, record["logits" + variant]) < 1e-5
    assert distance(output.value, record["values" + variant]) < 1e-5


#: Parameters of the maze's records in order: name, shape and scale. Matrices are [in][out], the convolution is
#: [row][column][channel][out], and every gate is a tensor of its own.
STUDENT = [("conv.w", (3, 3, 3, 16), .35), ("conv.b", (16,), .1), ("dir.w", (4, 5), .5), ("dir.b", (5,), .1),
           *[("lstm.x" + gate, (149, 256), .14) for gate in "ifgo"],
           *[("lstm.h" + gate, (256, 256), .11) for gate in "ifgo"],
           *[("lstm.b" + gate, (256,), .1) for gate in "ifgo"],
           ("actor0.w", (256, 32), .2), ("actor0.b", (32,), .1), ("actor1.w", (32, 7), .3), ("actor1.b", (7,), .1),
           ("critic0.w", (256, 32), .2), ("critic0.b", (32,), .1), ("critic1.w", (32, 1), .3), ("critic1.b", (1,), .1)]


def computed_weight(parameter, shape, seed, scale):
    """The weights of the maze's records are not stored but computed, by this hash of parameter and element."""
    mask = np.uint64(0xFFFFFFFF)
    x = np.arange(np.prod(shape), dtype=np.uint64) + np.uint64(0x9E3779B9 * (parameter + 1) + 0x85EBCA6B * seed) & mask
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ x >> np.uint64(shift)) * np.uint64(factor) & mask
    x ^= x >> np.uint64(16)
    return torch.from_numpy(((2 * (x / 2**32) - 1) * scale).astype(np.float32).reshape(shape))


def student_policy(record):
    """The recurrent network of a record of maze/."""
    theirs = {name: computed_weight(i, shape, record.settings["weights_seed"], scale)
              for i, (name, shape, scale) in enumerate(STUDENT)}
    for name, elements in record.settings["first_weights"].items():
        assert distance(theirs[name].flatten()[:len(elements)], torch.tensor(elements)) < 1e-7
    ours = {"conv.w": theirs["conv.w"].permute(3, 2, 0, 1), "conv.b": theirs["conv.b"]}
    for part, name in (("x", "lstm_input.w"), ("h", "lstm_hidden.w"), ("b", "lstm_input.b")):
        gates = [theirs[f"lstm.{part}{gate}"] for gate in "ifgo"]
        ours[name] = torch.cat([gate.T if gate.dim() == 2 else gate for gate in gates])
    for theirs_name, name in (("dir", "direction"), ("actor0", "policy_hidden"), ("actor1", "policy"),
                              ("critic0", "value_hidden"), ("critic1", "value")):
        ours[name + ".w"], ours[name + ".b"] = theirs[theirs_name + ".w"].T, theirs[theirs_name + ".b"]
    return plr.torch.make_policy(ours, (5, 5, 4))


def student_observations(record):
    """Bytes [T, N, 5, 5, 4]: the image, and the direction in all cells."""
    images, directions = record["images"], record["directions"]
    planes = directions[..., None, None, None].expand(*images.shape[:-1], 1)
    return torch.cat([images, planes], -1)


def test_sequences_of_the_recurrent_network_equal_the_recorded_ones():
    record = Record("maze/student_forward")
    policy = student_policy(record)
    assert sum(parameter.numel() for parameter in policy.parameters()) == 432_929
    output = policy(student_observations(record), torch.cat([record["c0"], record["h0"]], 1), record["resets"])
    assert distance(output.logits.log_softmax(-1), record["log_probs"]) < 1e-5
    assert distance(output.value, record["values"]) < 1e-5
    assert distance(output.state, torch.cat([record["c"], record["h"]], 1)) < 1e-5


def test_steps_of_the_recurrent_network_equal_its_sequence():
    record = Record("maze/student_forward")
    policy = student_policy(record)
    observations = student_observations(record)
    whole = policy(observations, begins=record["resets"])
    state = policy.initial_state(4)
    for t, step in enumerate(observations):
        output = policy(step, state, record["resets"][t])
        state = output.state
        assert distance(output.logits, whole.logits[t]) < 1e-6 and distance(output.value, whole.value[t]) < 1e-6
    assert distance(state, whole.state) < 1e-6


# ---- runs of the program

MULTI_ROOM = "minigrid/MultiRoom-N4-Random"
RUNS = {
    "grid-cnn": [MULTI_ROOM],
    "grid-cnn-of-the-paper": [MULTI_ROOM, "--pool", "false", "--shared-hidden", "true", "--channels", "8"],
    "grid-cnn-view": [MULTI_ROOM, "--observation", "view"],
    "impala": [MULTI_ROOM, "--network", "impala", "--relu-skip", "true"],
    "lstm": ["maze/random-25", "--lstm-units", "32"],
    "lstm-without-direction": [MULTI_ROOM, "--network", "lstm", "--lstm-units", "32"],
    "cnn": [MULTI_ROOM, "--network", "cnn", "--conv-layers", "8x3/1,12x3/2", "--cnn-units", "24"],
    "mlp-on-images": [MULTI_ROOM, "--network", "mlp", "--normalize-observations", "true"],
    "mlp": ["classic/CartPole"],
    "mlp-shared": ["classic/CartPole", "--hidden-sizes", "32,16,8", "--activation", "relu", "--shared-trunk", "true"],
    "mlp-of-choices": ["classic/TwinCartPole", "--normalize-observations", "true", "--observation-clip", "1.5"],
    "mlp-of-floats": ["classic/Pendulum", "--normalize-observations", "true"],
    "lstm-of-floats": ["classic/Pendulum", "--network", "lstm", "--lstm-units", "32", "--encoder-sizes", "16,8"],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Short runs with a learning rate so large that the policies are far from uniform."""
    if "PLR_PROGRAM" not in os.environ or "train an agent" not in program("--help"):
        pytest.skip("the program was built without libtorch")
    folder = tmp_path_factory.mktemp("runs")
    for name, (env, *settings) in RUNS.items():
        program("train", "--env", env, *settings, "--steps", "512", "--num-slots", "8", "--rollout-length", "32",
                "--learning-rate", "0.01", "--learning-rate-schedule", "constant", "--eval-episodes", "1",
                "--final-episodes", "1", "--threads", "1", "--device", "cpu", "--out", folder / name)
    return folder


def program(*arguments):
    done = subprocess.run([os.environ["PLR_PROGRAM"], *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", RUNS)
def test_a_loaded_policy_plays_as_the_program_does(runs, name):
    policy = plr.torch.load_policy(runs / name)
    assert not policy.training and policy.update == 2 and policy.settings["env"] == RUNS[name][0]
    lines = program("play", runs / name, "--level", "3", "--greedy", "--steps", "8").splitlines()
    heading = next(i for i, line in enumerate(lines) if line.split()[:2] == ["step", "action"])
    envs = plr.make_vec(policy.settings["env"], 1, observation=policy.settings["observation"], copy=True)
    observations, _ = envs.reset(options={"levels": [3]})
    state = None
    for line in lines[heading + 1:heading + 9]:
        _, *action, probability, value, reward = line.split()
        with torch.no_grad():
            output = policy(torch.from_numpy(observations), state)
        state = output.state
        best = policy.mode(output)
        if policy.actions.is_discrete:
            assert output.logits.softmax(1).max().item() == pytest.approx(float(probability), abs=6e-4)
        elif policy.actions.is_continuous:
            assert best[0].tolist() == pytest.approx([float(number) for number in action], abs=6e-4)
        else:
            assert [["left", "right"][choice] for choice in best[0]] == action
        assert output.value.item() == pytest.approx(float(value), abs=6e-4)
        observations, rewards, *_ = envs.step(best.numpy())
        assert rewards[0] == pytest.approx(float(reward), abs=6e-4)


def with_changed_facts(run, folder, change):
    """A copy of the run with other facts in its checkpoints."""
    shutil.copytree(run, folder)
    for path in folder.glob("checkpoint/update-*/checkpoint.json"):
        manifest = json.loads(path.read_text())
        change(manifest["facts"])
        path.write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize("name", ["grid-cnn-view", "mlp-of-choices", "mlp-of-floats"])
def test_a_checkpoint_without_spaces_is_loaded_by_its_environment(runs, tmp_path, name):
    old = plr.torch.load_policy(with_changed_facts(runs / name, tmp_path / "old", lambda facts: facts.pop("spaces")))
    new = plr.torch.load_policy(runs / name)
    assert old.actions == new.actions and old.has_float_observations == new.has_float_observations
    assert old.image_shape == new.image_shape


def test_a_policy_is_loaded_without_its_environment(runs, tmp_path):
    settings = (runs / "mlp-of-floats" / "config.toml").read_text()
    run = with_changed_facts(runs / "mlp-of-floats", tmp_path / "run",
                             lambda facts: facts["spaces"]["actions"].update(low=[None], high=[None]))
    (run / "config.toml").write_text(settings.replace("classic/Pendulum", "elsewhere/Pendulum"))
    actions = plr.torch.load_policy(run).actions
    assert actions.is_continuous and (actions.low, actions.high) == ((-math.inf,), (math.inf,))
    with_changed_facts(runs / "mlp-of-floats", tmp_path / "damaged", lambda facts: facts["spaces"].pop("actions"))
    with pytest.raises(ValueError, match="checkpoint.json is damaged: 'actions'"):
        plr.torch.load_policy(tmp_path / "damaged")


def test_actions_are_sampled_by_their_probabilities():
    policy = recorded_policy(Record("nets/minigrid14"))
    logits = torch.tensor([0.1, 0.2, 0.7]).log().expand(20_000, 3)
    actions = policy.sample(plr.torch.PolicyOutput(logits, logits[:, 0]), torch.Generator().manual_seed(1))
    # 5 standard deviations of a binomial proportion are at most 5 * sqrt(0.25 / 20000) = 0.018.
    for action, probability in enumerate((0.1, 0.2, 0.7)):
        assert (actions == action).float().mean().item() == pytest.approx(probability, abs=0.018)


def test_actions_of_several_words_are_sampled_by_their_distributions():
    weights = {f"policy_hidden1.{part}": torch.zeros(shape) for part, shape in (("w", (4, 3)), ("b", (4,)))}
    weights |= {name.replace("policy", "value"): tensor for name, tensor in weights.items()}
    weights |= {"policy.w": torch.zeros(2, 4), "policy.b": torch.tensor([0.5, -3.0]), "log_std": torch.tensor([0.1, -1]),
                "value.w": torch.zeros(1, 4), "value.b": torch.zeros(1)}
    space = plr.torch.ActionSpace((), (-10.0, -2.0), (10.0, 10.0), is_discrete=False)
    policy = plr.torch.make_policy(weights, (3,), actions=space)
    output = policy(torch.zeros(20_000, 3))
    actions = policy.sample(output, torch.Generator().manual_seed(1)).detach()
    # 5 standard errors: 5 exp(0.1) / sqrt(20000) of the mean, 5 exp(0.1) / sqrt(2 * 20000) of the deviation.
    assert actions[:, 0].mean().item() == pytest.approx(0.5, abs=0.04)
    assert actions[:, 0].std().item() == pytest.approx(np.exp(0.1), abs=0.028)
    assert actions[:, 1].min().item() == -2  # clipped
    assert policy.mode(output)[0].tolist() == [0.5, -2]

    choices = plr.torch.ActionSpace((1, 2), is_discrete=False)
    weights |= {"policy.w": torch.zeros(3, 4), "policy.b": torch.tensor([0.0, 0.1, 0.9]).log().nan_to_num(neginf=-9)}
    policy = plr.torch.make_policy(weights, (3,), actions=choices)
    actions = policy.sample(policy(torch.zeros(20_000, 3)), torch.Generator().manual_seed(1))
    assert actions.shape == (20_000, 2) and actions[:, 0].max() == 0
    assert actions[:, 1].float().mean().item() == pytest.approx(0.9, abs=0.018)


def test_errors_name_the_cause(tmp_path):
    with pytest.raises(FileNotFoundError, match="is not the folder of a run"):
        plr.torch.load_policy(tmp_path)
    (tmp_path / "config.toml").write_text(f'env = "{MULTI_ROOM}"\nobservation = "default"\n')
    with pytest.raises(FileNotFoundError, match="has no checkpoint"):
        plr.torch.load_policy(tmp_path)
    checkpoint = tmp_path / "checkpoint" / "update-00000003"
    checkpoint.mkdir(parents=True)
    (checkpoint / "tensors.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0nonsense")
    with pytest.raises(ValueError, match="tensors.safetensors is damaged"):
        plr.torch.load_policy(tmp_path)
    policy = recorded_policy(Record("nets/minigrid14"))
    with pytest.raises(ValueError, match=r"must have shape \[B, 14, 14, 3\]"):
        policy(torch.zeros(2, 3, 14, 14))


# ---- ONNX

@pytest.mark.parametrize("name", ["nets/minigrid14", "nets/procgen64", "maze/student_forward"])
def test_an_exported_model_computes_the_same(name, tmp_path):
    pytest.importorskip("onnxscript")
    runtime = pytest.importorskip("onnxruntime")
    record = Record(name)
    if name.startswith("nets/"):
        policy = recorded_policy(record)
        inputs = {"observations": record["obs"].permute(0, 2, 3, 1).contiguous()}
    else:
        policy = student_policy(record)
        inputs = {"observations": student_observations(record)[0],
                  "state": torch.cat([record["c0"], record["h0"]], 1)}
    policy.to_onnx(tmp_path / "policy.onnx")
    session = runtime.InferenceSession(tmp_path / "policy.onnx")
    for batch in (1, len(inputs["observations"])):  # of any size
        part = {key: tensor[:batch] for key, tensor in inputs.items()}
        expected = [output.detach() for output in policy(**part) if output is not None]
        names = ["logits", "value", "next_state"][:len(expected)]
        outputs = session.run(names, {key: tensor.numpy() for key, tensor in part.items()})
        for ours, theirs in zip(outputs, expected):
            assert distance(torch.from_numpy(ours), theirs) < 1e-5


def test_export_without_onnx_says_what_to_install(monkeypatch, tmp_path):
    import sys
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(ImportError, match="pip install 'level-replay\\[onnx\\]'"):
        recorded_policy(Record("nets/minigrid14")).to_onnx(tmp_path / "policy.onnx")
