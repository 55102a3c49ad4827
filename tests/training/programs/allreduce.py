"""Adds up the numbers of the ranks, from 1, with Paddle."""

import paddle
import paddle.distributed as dist

dist.init_parallel_env()
mine = paddle.to_tensor([dist.get_rank() + 1])
dist.all_reduce(mine)
print("rank", dist.get_rank(), "of", dist.get_world_size(), "sum",
      int(mine.item()), flush=True)
