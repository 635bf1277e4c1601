"""The attention part of a decoder block: projections, heads, attention, output."""

from engines.sizing.attention import attend, attend_eagerly, repeat, rotate_complex, rotate_half
from engines.sizing.block import Block, copy_part, gather, scatter, view_part
from engines.sizing.norms import norm
from engines.sizing.operations import linear, unary
from engines.sizing.tape import Tensor


def attention(block: Block, normed: Tensor) -> Tensor:
    """Return the attention's result; the caller's reference to `normed` is consumed."""
    tape, shape, nums, tp = block.tape, block.shape, block.nums, block.setup.tp
    n, width = block.n, shape.hidden
    # A block with one norm gives the same tensor to its feed-forward part.
    whole = gather(block, tape.hold(normed) if shape.norms_per_block == 1 else normed)
    if shape.latent:
        q, k, v = _latent_heads(block, whole)
    else:
        q, k, v = _heads(block, whole)
    tape.drop(whole)
    if block.eager_attention:
        times = q.size // k.size if not shape.latent else 1
        qkv = q, repeat(tape, k, times), repeat(tape, v, times)
        mixed = attend_eagerly(tape, nums, qkv, shape.heads // tp * n * block.setup.seq_len, shape.score_softcap)
    else:
        if block.mask and not shape.latent:
            times = q.size // k.size
            k, v = repeat(tape, k, times), repeat(tape, v, times)
        mixed = attend(tape, nums, (q, k, v), shape.heads // tp, n, block.e * n * shape.out_dim // tp, block.mask)
    if shape.heads_first:
        ordered = copy_part(block, mixed, mixed.size)
        tape.drop(mixed)
        mixed = ordered
    out = linear(tape, nums, block.layer("o_proj", width, shape.out_dim // tp, bias=shape.out_bias), mixed, n)
    tape.drop(mixed)
    return scatter(block, "attention.sum", out)


def _heads(block: Block, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    tape, shape, nums, tp = block.tape, block.shape, block.nums, block.setup.tp
    n, width, bias = block.n, shape.hidden, shape.qkv_bias
    kv_dim = max(shape.kv_dim // tp, shape.head_dim)
    sizes = {"q_proj": shape.q_dim // tp, "k_proj": kv_dim, "v_proj": kv_dim}
    if shape.fused_projections:
        q, k, v = _fused_heads(block, x, tuple(sizes.values()))
    else:
        q, k, v = (linear(tape, nums, block.layer(name, rows, width, bias=bias), x, n) for name, rows in sizes.items())
    if shape.qk_norm:
        q, k = (_head_norm(block, piece) for piece in (q, k))
    complex_form = block.setup.model_code == "torchtitan"
    if complex_form:
        turned = rotate_complex(tape, nums, q, k)
    else:
        turned = rotate_half(tape, nums, q), rotate_half(tape, nums, k)
    tape.drop(q, k)
    times = turned[0].size // turned[1].size if complex_form else 1
    return turned[0], repeat(tape, turned[1], times), repeat(tape, v, times)


def _fused_heads(block: Block, x: Tensor, sizes: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Project to queries, keys and values at once; the values stay a view of the whole."""
    tape, n = block.tape, block.n
    layer = block.layer("qkv_proj", sum(sizes), block.shape.hidden, bias=block.shape.qkv_bias)
    whole = linear(tape, block.nums, layer, x, n)
    q, k, v = (view_part(block, whole, block.e * n * rows) for rows in sizes)
    tape.drop(whole)
    return q, k, v


def _head_norm(block: Block, x: Tensor) -> Tensor:
    out = norm(block.tape, block.nums, x, x.size // block.e, 1)
    block.tape.drop(x)
    return out


def _latent_heads(block: Block, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values from the latents (DeepSeek)."""
    tape, shape, nums, tp = block.tape, block.shape, block.nums, block.setup.tp
    latent, n, width = shape.latent, block.n, shape.hidden
    assert latent is not None
    heads = shape.heads // tp
    if latent.q_rank:
        low = linear(tape, nums, block.layer("q_a_proj", latent.q_rank, width), x, n)
        normed = norm(tape, nums, low, n, latent.q_rank)
        tape.drop(low)
        q = linear(tape, nums, block.layer("q_b_proj", shape.q_dim // tp, latent.q_rank), normed, n)
        tape.drop(normed)
    else:
        q = linear(tape, nums, block.layer("q_proj", shape.q_dim // tp, width), x, n)
    low = linear(tape, nums, block.layer("kv_a_proj", latent.kv_rank + latent.rope_dim, width), x, n)
    normed = norm(tape, nums, low, n, latent.kv_rank)
    tape.drop(low)
    expanded = heads * (latent.nope_dim + latent.v_dim)
    kv = linear(tape, nums, block.layer("kv_b_proj", expanded, latent.kv_rank), normed, n)
    tape.drop(normed)
    q_turned = unary(tape, q, saves=False)  # rotated part joined to the part without position
    k = copy_part(block, kv, block.e * n * heads * (latent.nope_dim + latent.rope_dim))
    v = view_part(block, kv, block.e * n * heads * latent.v_dim)
    tape.drop(q, kv)
    return q_turned, k, v
