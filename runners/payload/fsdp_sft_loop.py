"""The job: boot or resume, train, evaluate, save, stop when asked, export."""

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from fsdp_sft_checkpoint import Checkpointer, Found, Progress
from fsdp_sft_config import Config
from fsdp_sft_data import Batch
from fsdp_sft_export import export_model
from fsdp_sft_feed import Feed
from fsdp_sft_model import load_model, load_tokenizer
from fsdp_sft_pace import Pace
from fsdp_sft_report import Speed, device_name, memory_gib, model_facts, peak_gib
from fsdp_sft_rundir import RunDir
from fsdp_sft_saving import Saving
from fsdp_sft_space import EXPORT_BYTES_PER_PARAMETER, shortage
from fsdp_sft_spike import SpikeWatch
from fsdp_sft_step import StepOutcome, build_optimizer, evaluate, learning_rate, train_step
from fsdp_sft_world import World

_UNUSABLE_STEPS_IN_A_ROW = 10


class Job:
    """One attempt at one run. All its methods are collectives."""

    def __init__(self, config: Config, world: World, rundir: RunDir) -> None:
        """Read the data, build and fill the model.

        Args:
            config: What was asked for.
            world: This process among the others.
            rundir: Where the job reports.

        Raises:
            ConfigError: The job cannot start from what it was given.
        """
        self.config, self.recipe, self.world, self.rundir = config, config.recipe, world, rundir
        make_deterministic(self.recipe.seed, world.rank)
        self.tokenizer = load_tokenizer(config.model)
        self.model, self.read = load_model(config, world)
        vocab_size: int = self.model.get_input_embeddings().weight.shape[0]
        self.feed = Feed(config, self.tokenizer, vocab_size, world)
        self.optimizer = build_optimizer(self.model, self.recipe)
        self.checkpointer = Checkpointer(rundir.checkpoints, world, self.model, self.optimizer)
        self.grad_accum = self.recipe.grad_accum
        self.progress = Progress(global_batch=world.size * self.recipe.micro_batch * self.grad_accum)
        self.loss: float | None = None
        self._parameters = sum(parameter.numel() for parameter in self.model.parameters())
        self.saving = Saving(self.checkpointer, rundir, world, self.recipe, self._parameters)
        self._unusable_steps = 0
        self._spikes = SpikeWatch()
        self._pace = Pace(self.model, world.device)

    def run(self) -> None:
        """Train to the end, or to the next step boundary after a stop was asked for."""
        self._report_boot()
        self._resume()
        speed = Speed()
        while self.progress.step < self.recipe.steps:
            speed.begin_step()
            self._pace.begin()
            batches = self.feed.step_batches(self.progress.examples, self.grad_accum)
            self._pace.ready()
            tokens, targets, stop = self._agree(batches)
            if stop:
                self._stop()
                return
            with self.rundir.phase("step", self.progress.step):
                outcome = self._step(batches, targets)
            speed.end_step(tokens)
            self.rundir.spent = self._pace.end()
            self._report_step(outcome, speed)
            self._between_steps()
        self._finish()

    def _agree(self, batches: list[Batch]) -> tuple[float, float, bool]:
        """Return tokens and target tokens of the step over all ranks, and whether any rank was asked to stop."""
        stop, ended = self.rundir.stop_reason() is not None, self.saving.ended
        tokens, targets, stops, ends = self.world.total(
            sum(batch.tokens for batch in batches), sum(batch.targets for batch in batches), stop, ended
        )
        if ends == self.world.size:  # else a rank would wait in it, and the others for that rank
            self.saving.settle(self.progress.step)
        return tokens, targets, stops > 0

    def _step(self, batches: list[Batch], targets: float) -> StepOutcome:
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.progress.step, self.recipe)
        outcome = train_step(self.model, self.optimizer, batches, targets, self.recipe, self.world)
        self.progress.step += 1
        self.progress.examples += self.progress.global_batch
        self.loss = outcome.loss
        if not targets:
            message = f"no response token within {self.recipe.seq_len} tokens in this step: nothing was learned"
            self.rundir.warn("no_targets", message, self.progress.step)
        self._watch_gradient(outcome)
        spike = self._spikes.seen(outcome.loss)
        if spike is not None:
            self.rundir.warn("loss_spike", spike, self.progress.step)
        return outcome

    def _watch_gradient(self, outcome: StepOutcome) -> None:
        self._unusable_steps = 0 if outcome.applied else self._unusable_steps + 1
        if not outcome.applied:
            numbers = f"loss {outcome.loss}, gradient norm {outcome.grad_norm}"
            self.rundir.warn("non_finite", f"{numbers}: this step's update was left out", self.progress.step)
        if self._unusable_steps == _UNUSABLE_STEPS_IN_A_ROW:
            raise RuntimeError(
                f"the loss diverged: no finite gradient in {_UNUSABLE_STEPS_IN_A_ROW} steps, up to step "
                f"{self.progress.step}, but nan or inf: "
                "lower lr, or look for broken weights and examples"
            )

    def _between_steps(self) -> None:
        step, recipe = self.progress.step, self.recipe
        if step == recipe.steps or self.config.trial:
            return
        if recipe.eval_every and step % recipe.eval_every == 0:
            self._evaluate()
        if recipe.checkpoint_every and step % recipe.checkpoint_every == 0:
            self.saving.save(self.progress)

    def _evaluate(self) -> None:
        if self.feed.eval is None:
            return
        with self.rundir.phase("eval", self.progress.step):
            loss, targets = evaluate(self.model, self._eval_batches(), self.world)
        self.rundir.event("eval", self.progress.step, {"targets": int(targets)}, loss=loss)

    def _eval_batches(self) -> Iterator[Batch]:
        for batch in self.feed.eval_batches():
            self.rundir.heartbeat(self.progress.step)  # an evaluation may be longer than a hang
            yield batch

    def _resume(self) -> None:
        found = self.checkpointer.find()
        self.saving.distrust(set(found.skipped))
        skipped = [{"name": name, "reason": reason} for name, reason in found.skipped.items()]
        if found.name is None and self.config.resume_from is not None:
            found = self.checkpointer.start_from(self.config.resume_from)
        if found.name:
            planned = self.progress.global_batch
            self.progress = self.checkpointer.load(found)
            if found.root is None:  # else a copy in this run's folder is still to be made
                self.saving.saved_step = self.progress.step
            self._keep_global_batch(found, planned)
        if found.name or skipped:
            data = {"checkpoint": found.name, "skipped": skipped, "written_by_ranks": found.world_size}
            data |= {"from": str(found.root)} if found.root else {}
            self.rundir.event("resume", self.progress.step, data | {"examples": self.progress.examples})

    def _keep_global_batch(self, found: Found, planned: int) -> None:
        """On another world size, accumulate so that an optimizer step sees as many examples as before."""
        before, self.progress.global_batch = self.progress.global_batch, planned
        if found.world_size == self.world.size or before == planned:
            return
        each = self.world.size * self.recipe.micro_batch
        if before % each == 0:
            self.grad_accum, self.progress.global_batch = before // each, before
            change = f"grad_accum is {self.grad_accum} instead of {self.recipe.grad_accum}, to keep {before} examples"
        else:
            change = f"{planned} examples instead of {before}, which {each} in a micro-step do not divide,"
        message = f"{self.world.size} ranks instead of {found.world_size}: {change} in an optimizer step"
        self.rundir.warn("world_size_changed", message, self.progress.step)

    def _stop(self) -> None:
        reasons = self.world.collect(self.rundir.stop_reason())
        if self.config.trial:
            self._end_trial("stopped")
            return
        if lacking := self.saving.save(self.progress, last=True):
            raise RuntimeError(f"asked to stop at step {self.progress.step}, which cannot be saved: {lacking}")
        reason = next((reason for reason in reasons if reason), None)
        self.rundir.event("end", self.progress.step, {"status": "stopped", "reason": reason})
        self.rundir.result("stopped", self.progress.step, self.loss, None)

    def _end_trial(self, status: str) -> None:
        """Report the fullest rank's peak; nothing of a trial is kept."""
        peaks = self.world.collect(peak_gib(self.world.device))
        peak = max(peaks) if all(map(math.isfinite, peaks)) else None
        of = "cuda_reserved" if self.world.device.type == "cuda" else "rss"
        facts = {"peak_gib": peak, "peak_of": of, "device_name": device_name(self.world.device)}
        self.rundir.event("end", self.progress.step, {"status": status, **facts})
        self.rundir.result(status, self.progress.step, self.loss, None)

    def _finish(self) -> None:
        if self.config.trial:
            self._end_trial("done")
            return
        self._evaluate()
        unsaved = self.saving.save(self.progress, last=True)
        target: Path | None = None
        needed_bytes = self._parameters * EXPORT_BYTES_PER_PARAMETER
        unexported = (
            self.world.share(shortage(self.rundir.root, needed_bytes)) if self.recipe.export else "not asked for"
        )
        if unsaved and unexported:
            raise RuntimeError(f"trained to step {self.progress.step}, but nothing of it can be saved: {unsaved}")
        if self.recipe.export and unexported:
            self.rundir.warn("no_space", f"not exported, the checkpoint is saved: {unexported}", self.progress.step)
        elif self.recipe.export:
            with self.rundir.phase("export", self.progress.step):
                target = export_model(self.model, self.tokenizer, self.config.model, self.rundir.export, self.world)
            self.rundir.event("export", self.progress.step, {"path": str(target)})
        self.rundir.event("end", self.progress.step, {"status": "done"})
        self.rundir.result("done", self.progress.step, self.loss, target)

    def _report_boot(self) -> None:
        data: dict[str, Any] = {
            "model": self.model.config.architectures[0],
            **model_facts(self.model),
            "elements_read": self.read.elements,
            "largest_read": self.read.largest,
            "world_size": self.world.size,
            "device": str(self.world.device),
            "global_batch": self.progress.global_batch,
            "train_examples": len(self.feed.train),
        }
        self.rundir.event("boot", 0, data, memory_gib=memory_gib(self.world.device))

    def _report_step(self, outcome: StepOutcome, speed: Speed) -> None:
        step = self.progress.step
        if step % self.recipe.log_every and step != self.recipe.steps:
            return
        self.rundir.event(
            "step",
            step,
            loss=outcome.loss,
            grad_norm=outcome.grad_norm,
            lr=learning_rate(step - 1, self.recipe),
            tokens_per_s=speed.take(),
            memory_gib=memory_gib(self.world.device),
        )


def make_deterministic(seed: int, rank: int) -> None:
    """Ask for the same bits at each start, and give each rank a random stream of its own."""
    # an operation without a deterministic form warns: better than a job that cannot run
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    digest = hashlib.sha256(f"{seed}:{rank}".encode()).digest()
    torch.manual_seed(int.from_bytes(digest[:8], "big") >> 1)
