import torch
import transformers


class Run:
    def __init__(self, out):
        self.arguments = transformers.TrainingArguments(output_dir=out, fsdp=True)

    def trainer(self, model, data):
        pair = (torch.optim.SGD(model.parameters(), lr=0.1), None)
        return transformers.Trainer(model, self.arguments, train_dataset=data, optimizers=pair)  # <- HF217
