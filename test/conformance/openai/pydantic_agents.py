"""pydantic-ai drives the server: chat and responses models, its own tool, typed
output, the server's tools, forced calls, streams, errors."""

from harness import BARE, CIRCUIT, WITH_MODEL, forced, main
from pydantic import BaseModel
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

called = []


def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    called.append(city)
    return f"rain in {city}"


def agents(base, **options):
    provider = OpenAIProvider(base_url=base + "/v1", api_key="none")
    for model in (OpenAIChatModel, OpenAIResponsesModel):
        yield Agent(model("autosage-0.1", provider=provider), **options)


async def ask(agent, text, streamed, **options):
    if not streamed:
        return (await agent.run(text, **options)).output
    async with agent.run_stream(text, **options) as run:
        return await run.get_output()


async def check_the_servers_tools():
    for agent in agents(WITH_MODEL, instructions="Be brief."):
        for streamed in (False, True):
            assert await ask(agent, "divide ten volts", streamed) == "The divider gives 5 V."
            assert await ask(agent, "echo twice", streamed) == "Both were echoed."


async def check_its_own_tool():
    for agent in agents(WITH_MODEL):
        agent.tool_plain(get_weather)
        for streamed in (False, True):
            called.clear()
            assert await ask(agent, "will it rain", streamed) == "Take an umbrella."
            assert called == ["Bonn"], called


class City(BaseModel):
    city: str
    country: str


async def check_typed_output():
    for agent in agents(WITH_MODEL, output_type=City):
        for streamed in (False, True):
            assert await ask(agent, "give a city", streamed) == City(city="Bonn", country="Germany")


async def check_forced():
    settings = {"extra_body": {"tool_choice": forced("circuits.simulate", CIRCUIT)}}
    for agent in agents(BARE):
        for streamed in (False, True):
            assert "v(out) = 7.5 V" in await ask(agent, "run", streamed, model_settings=settings)


async def check_usage_is_summed():
    for agent in agents(WITH_MODEL):
        run = await agent.run("divide ten volts")
        assert run.usage.requests == 1 and run.usage.input_tokens > 0 and run.usage.output_tokens > 0


async def check_errors():
    for agent in agents(WITH_MODEL):
        try:
            await agent.run("too long for you")
            raise AssertionError("no error")
        except ModelHTTPError as fault:
            assert fault.status_code == 400 and fault.body["code"] == "model_refused", fault
    settings = {"extra_body": {"tool_choice": forced("no_such_tool", {})}}
    for agent in agents(BARE):
        for streamed in (False, True):
            try:
                await ask(agent, "run", streamed, model_settings=settings)
                raise AssertionError("no error")
            except ModelHTTPError as fault:
                assert fault.status_code == 404 and fault.body["code"] == "unknown_tool", fault


main(globals())
