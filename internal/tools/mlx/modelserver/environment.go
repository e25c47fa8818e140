package modelserver

import (
	"os"
	"slices"
	"strings"
)

// tokenVariable marks the processes of one start, for the case that atelier is
// killed before it has written down which process it started.
const tokenVariable = "ATELIER_BACKEND_TOKEN"

// passed are the variables that a server gets of this process's environment:
// what finds programs, libraries, models and processors. Tokens are not among
// them, but for that of downloads where these are allowed.
var (
	passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "VIRTUAL_ENV",
		"LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "NO_COLOR"}
	passedPrefixes = []string{"LC_", "XDG_", "CUDA_", "NVIDIA_", "NCCL_", "ROCR_", "ROCM_", "HIP_", "HSA_", "MLX_", "METAL_", "MTL_",
		"VLLM_", "LLAMA_", "GGML_", "OMP_", "OPENBLAS_", "MKL_", "PYTHON", "TORCH_", "TRITON_", "TRANSFORMERS_", "TOKENIZERS_", "HF_", "DYLD_"}
	passedForDownloads = []string{"HF_TOKEN", "HF_ENDPOINT", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"}
	withheld           = []string{"VLLM_API_KEY", "LLAMA_API_KEY", "LLAMA_ARG_API_KEY", "HF_TOKEN", "HF_TOKEN_PATH", "HF_ENDPOINT", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HOME", "HF_HUB_CACHE"}
)

func environment(home, cache, token string, downloads bool) []string {
	env := []string{"HF_HOME=" + home, "HF_HUB_CACHE=" + cache, "PYTHONUNBUFFERED=1", tokenVariable + "=" + token}
	if !downloads {
		env = append(env, "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1")
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		known := slices.Contains(passed, name) || slices.ContainsFunc(passedPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if downloads && slices.Contains(passedForDownloads, name) {
			env = append(env, entry)
		} else if known && !slices.Contains(withheld, name) && name != "PYTHONUNBUFFERED" {
			env = append(env, entry)
		}
	}
	return env
}
