"""Fine-tunes a small BERT with the Trainer of Hugging Face's transformers.

    torchrun train.py FOLDER

Nothing here is about clusters: the Trainer takes part in what torchrun starts,
reports how far it is where the operator asks for it (job.yaml: `progress`),
and keeps checkpoints in FOLDER, from the last of which it goes on.

The model is made from a configuration and the data here, so that nothing is
downloaded; `from_pretrained` and `load_dataset` take their places.
"""

import sys

import torch
from transformers import (BertConfig, BertForSequenceClassification,
                          PrinterCallback, Trainer, TrainerCallback,
                          TrainingArguments)
from transformers.trainer_utils import get_last_checkpoint

STEPS, WORDS, LENGTH = 160, 16, 8


class Oddness(torch.utils.data.Dataset):
    """Sentences of numbers; the label is whether the first is odd."""

    def __len__(self):
        return 512

    def __getitem__(self, i):
        numbers = torch.Generator().manual_seed(i)
        words = torch.randint(0, WORDS, (LENGTH,), generator=numbers)
        return {"input_ids": words, "attention_mask": torch.ones_like(words),
                "labels": words[0] % 2}


class Tell(TrainerCallback):
    """In one line what the Trainer logs as a dictionary."""

    def on_log(self, args, state, control, logs, **_):
        if state.is_world_process_zero and "loss" in logs:
            print(f"step {state.global_step:3} loss {float(logs['loss']):.4f}",
                  flush=True)


def network():
    return BertForSequenceClassification(BertConfig(
        vocab_size=WORDS, hidden_size=32, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=LENGTH))


def main(folder):
    torch.manual_seed(0)
    trainer = Trainer(
        model=network(), train_dataset=Oddness(), callbacks=[Tell()],
        args=TrainingArguments(
            folder, max_steps=STEPS, logging_steps=20, save_steps=40,
            save_total_limit=2, per_device_train_batch_size=16,
            learning_rate=2e-3, report_to="none", disable_tqdm=True,
            ddp_find_unused_parameters=False,
            use_cpu=not torch.cuda.is_available()))
    trainer.remove_callback(PrinterCallback)  # Which Tell replaces.
    trainer.train(resume_from_checkpoint=get_last_checkpoint(folder))


if __name__ == "__main__":
    main(sys.argv[1])
