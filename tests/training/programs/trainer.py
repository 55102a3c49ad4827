"""A script for the Trainer of transformers that knows nothing of where it runs.
Its model is made from a configuration, its data here: nothing is downloaded."""

import torch
from transformers import (BertConfig, BertForSequenceClassification, Trainer,
                          TrainingArguments)

torch.manual_seed(0)


class Parity(torch.utils.data.Dataset):
    """Sequences of tokens; the label is whether the first is odd."""

    def __len__(self):
        return 256

    def __getitem__(self, i):
        numbers = torch.Generator().manual_seed(i)
        tokens = torch.randint(0, 16, (8,), generator=numbers)
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens),
                "labels": tokens[0] % 2}


config = BertConfig(vocab_size=16, hidden_size=32, num_hidden_layers=1,
                    num_attention_heads=2, intermediate_size=64,
                    max_position_embeddings=16)
trainer = Trainer(
    model=BertForSequenceClassification(config), train_dataset=Parity(),
    args=TrainingArguments("out", max_steps=120, logging_steps=20,
                           per_device_train_batch_size=16, learning_rate=5e-3,
                           save_strategy="no", use_cpu=True))
trainer.train()
losses = [line["loss"] for line in trainer.state.log_history if "loss" in line]
print("losses fall", losses[-1] < losses[0] / 2)
