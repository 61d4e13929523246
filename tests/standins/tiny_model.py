"""A real model server: llama.cpp with a model of a few thousand weights that is made here.

`python -m tests.standins.tiny_model FOLDER` prints its address and serves until it is killed.
What the model says follows from its last token alone: it calls a calculator, and where a
schema forbids that it fills the schema in. The source of the file's keys:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import sys
import threading
from pathlib import Path

import gguf
import numpy as np
import xllamacpp

WIDTH, INNER, HEADS = 64, 128, 4
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"  # how a vocabulary writes one
END = "</s>"
CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "1/4"}}\n</tool_call>'
# How much it likes to say a token after any other, and after one of its own.
ALWAYS = {'"': 3.0, "}": 2.5, "]": 2.4, ":": 1.5, "{": 1.5, "[": 1.5, ",": 1.0, "0": 0.9}
ALWAYS |= {"B": 0.8}
AFTER = {" ": CALL, CALL: END, "[": "{", "0": ".", ".": "4", '"': "M", "M": "1", "1": '"'}
TEMPLATE = """\
{%- if tools %}system: Functions: <tools>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
</tools>. Call one as <tool_call>
{"name": "its name", "arguments": {}}
</tool_call>
{% endif %}
{%- for m in messages %}
{{- m.role }}: {{ m.content or "" }}
{%- for call in m.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|end|>
{% endfor %}
{%- if add_generation_prompt %}assistant: {% endif %}"""


def write_model(path: Path) -> None:
    """Write the model: one layer of noise, between tables that say what follows what."""
    words = [*map(chr, range(32, 127)), CALL]
    tokens = ["<unk>", "<s>", END, *(f"<0x{byte:02X}>" for byte in range(256)), *words]
    kinds = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2]
    kinds += [*[gguf.TokenType.BYTE] * 256, *[gguf.TokenType.NORMAL] * len(words)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(32768)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token.replace(" ", SPACE).encode() for token in tokens])
    writer.add_token_scores([0.0] * 259 + [-1.0] * len(words))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)
    for name, tensor in _tensors(tokens).items():
        writer.add_tensor(f"{name}.weight", tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(tokens: list[str]) -> dict[str, np.ndarray]:
    """The weights by name: column 0 holds what is always liked, the next ones what follows."""
    noise = np.random.default_rng(0)

    def noisy(*shape: int) -> np.ndarray:
        return 0.02 * noise.standard_normal(shape)

    heard, said = noisy(len(tokens), WIDTH), noisy(len(tokens), WIDTH)
    heard[:, 0] = 1
    for token, liking in ALWAYS.items():
        said[tokens.index(token), 0] = liking
    for column, (before, after) in enumerate(AFTER.items(), 1):
        heard[tokens.index(before), column] = 1
        said[tokens.index(after), column] = 9
    square, ones = (WIDTH, WIDTH), np.ones(WIDTH)
    layer = {f"attn_{name}": noisy(*square) for name in ("q", "k", "v", "output")}
    layer |= {"ffn_gate": noisy(INNER, WIDTH), "ffn_up": noisy(INNER, WIDTH)}
    layer |= {"ffn_down": noisy(WIDTH, INNER), "attn_norm": ones, "ffn_norm": ones}
    whole = {"token_embd": heard, "output_norm": ones, "output": said}
    return whole | {f"blk.0.{name}": tensor for name, tensor in layer.items()}


if __name__ == "__main__":
    file = Path(sys.argv[1]) / "tiny.gguf"
    write_model(file)
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.port = 0
    settings.n_ctx = 32768
    settings.n_parallel = 2
    settings.use_jinja = True
    settings.warmup = False
    settings.cpuparams.n_threads = 1
    settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    threading.Event().wait()
