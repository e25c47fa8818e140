"""Makes a tiny Llama with random weights that mlx_lm.server can serve.

Usage: tiny_model.py FOLDER [SEED]

The tokenizer has one token a byte and three special ones, so nothing need be
trained or downloaded. The weights are written from mlx_lm's own class of the
model, so that their names are those it reads.
"""

import json
import sys
from pathlib import Path

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models import llama
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

END, BEGIN_TURN, END_TURN = "<|endoftext|>", "<|im_start|>", "<|im_end|>"

# ChatML, as Qwen and many others have it.
TEMPLATE = (
    "{% for message in messages %}"
    + BEGIN_TURN
    + "{{ message['role'] }}\n{{ message['content'] }}"
    + END_TURN
    + "\n{% endfor %}{% if add_generation_prompt %}"
    + BEGIN_TURN
    + "assistant\n{% endif %}"
)


def tokenizer() -> Tokenizer:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(word, special=True) for word in (END, BEGIN_TURN, END_TURN)])
    return made


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    mx.random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    tok = tokenizer()
    tok.save(str(folder / "tokenizer.json"))
    words = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": END_TURN,
        "pad_token": END,
        "model_max_length": 16384,
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(words))
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "vocab_size": tok.get_vocab_size(),
        "max_position_embeddings": 16384,
        "tie_word_embeddings": True,
        "eos_token_id": tok.token_to_id(END_TURN),
        "torch_dtype": "float32",
    }
    (folder / "config.json").write_text(json.dumps(config))
    model = llama.Model(llama.ModelArgs.from_dict(config))
    mx.eval(model.parameters())
    weights = dict(tree_flatten(model.parameters()))
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})


if __name__ == "__main__":
    main()
