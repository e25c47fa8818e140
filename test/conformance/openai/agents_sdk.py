"""openai-agents drives the server: chat and responses models, its own tool, the
server's tools, forced calls, streams, errors."""

import logging

import openai
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
)
from harness import BARE, CIRCUIT, WITH_MODEL, forced, main

QUIET = RunConfig(tracing_disabled=True)
called = []
logging.getLogger("openai.agents").setLevel(logging.CRITICAL)  # the errors here are wanted


@function_tool
def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    called.append(city)
    return f"rain in {city}"


def models(base):
    client = openai.AsyncOpenAI(base_url=base + "/v1", api_key="none", max_retries=0)
    return [OpenAIChatCompletionsModel("autosage-0.1", client), OpenAIResponsesModel("autosage-0.1", client)]


async def ask(model, text, streamed=False, **agent):
    agent = Agent(name="tester", instructions="Be brief.", model=model, **agent)
    if not streamed:
        return (await Runner.run(agent, text, run_config=QUIET, max_turns=4)).final_output
    run = Runner.run_streamed(agent, text, run_config=QUIET, max_turns=4)
    pieces = []
    async for event in run.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            pieces.append(event.data.delta)
    assert "".join(pieces) == run.final_output, pieces
    return run.final_output


async def check_the_servers_tools():
    for model in models(WITH_MODEL):
        for streamed in (False, True):
            assert await ask(model, "divide ten volts", streamed) == "The divider gives 5 V."
            assert await ask(model, "echo twice", streamed) == "Both were echoed."


async def check_its_own_tool():
    for model in models(WITH_MODEL):
        for streamed in (False, True):
            called.clear()
            assert await ask(model, "will it rain", streamed, tools=[get_weather]) == "Take an umbrella."
            assert called == ["Bonn"]


async def check_forced():
    settings = ModelSettings(extra_body={"tool_choice": forced("circuits.simulate", CIRCUIT)})
    for model in models(BARE):
        for streamed in (False, True):
            assert "v(out) = 7.5 V" in await ask(model, "run", streamed, model_settings=settings)


async def check_mcp_items_are_accepted():
    settings = ModelSettings(extra_body={"include": ["mcp_call"]})
    responses = models(WITH_MODEL)[1]
    for streamed in (False, True):
        assert (
            await ask(responses, "divide ten volts", streamed, model_settings=settings)
            == "The divider gives 5 V."
        )


async def check_without_a_model():
    for model in models(BARE):
        assert "No language model" in await ask(model, "hello")


async def check_errors():
    for model in models(WITH_MODEL):
        try:
            await ask(model, "too long for you")
            raise AssertionError("no error")
        except openai.BadRequestError as fault:
            assert fault.code == "model_refused"
    settings = ModelSettings(extra_body={"tool_choice": forced("no_such_tool", {})})
    for model in models(BARE):
        for streamed in (False, True):
            try:
                await ask(model, "run", streamed, model_settings=settings)
                raise AssertionError("no error")
            except openai.NotFoundError as fault:
                assert fault.code == "unknown_tool"


main(globals())
