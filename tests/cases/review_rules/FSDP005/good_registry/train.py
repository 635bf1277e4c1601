from net import Net

from plans import plan_of


def main(kind, mesh):
    model = Net()
    parallelize = plan_of(kind)
    parallelize(model, mesh)
    return model
