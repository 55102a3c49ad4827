"""Fits a line with PyTorch Lightning, whose progress bar stays in one line."""

import lightning
import torch


class Line(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Linear(4, 1)

    def training_step(self, batch, _):
        x = batch
        loss = ((self.model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


lightning.seed_everything(0)
data = torch.utils.data.DataLoader(torch.randn(3200, 4), batch_size=16)
trainer = lightning.Trainer(
    max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
    callbacks=[lightning.pytorch.callbacks.TQDMProgressBar(refresh_rate=1)])
trainer.fit(Line(), data)
print("loss is small", float(trainer.callback_metrics["loss"]) < 0.1)
