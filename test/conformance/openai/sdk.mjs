// The official JavaScript client against both servers. Its path is the argument,
// as the packages lie outside this folder.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';

const { default: OpenAI } = await import(pathToFileURL(process.argv[2]).href);
const client = (base) => new OpenAI({ baseURL: process.env[base] + '/v1', apiKey: 'none', maxRetries: 0 });
const bare = client('ATELIER_BARE');
const smart = client('ATELIER_WITH_MODEL');
const model = 'autosage-0.1';
// out = 10 V * 3/4 = 7.5 V
const circuit = { netlist: 'V1 in 0 DC 10\nR1 in out 1k\nR2 out 0 3k\n.end', control: ['op', 'quit'] };
const forced = (name, args) => ({ type: 'function', function: { name, arguments: args } });
const user = (content) => [{ role: 'user', content }];
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const checks = {
  async models() {
    const ids = [];
    for await (const m of smart.models.list()) ids.push(m.id);
    assert.deepEqual(ids, [model, 'upstream-1']);
  },
  async forcedChat() {
    const r = await bare.chat.completions.create({ model, messages: user('x'), tool_choice: forced('circuits.simulate', circuit) });
    assert.match(r.choices[0].message.content, /v\(out\) = 7\.5 V/);
    assert.equal(r.tool_results[0].status, 'ok');
  },
  async forcedChatStreamed() {
    const stream = bare.chat.completions.stream({ model, messages: user('x'), tool_choice: forced('circuits.simulate', JSON.stringify(circuit)) });
    const r = await stream.finalChatCompletion();
    assert.match(r.choices[0].message.content, /v\(out\) = 7\.5 V/);
    assert.equal(r.choices[0].finish_reason, 'stop');
  },
  async forcedResponse() {
    const body = { model, input: 'x', tool_choice: { type: 'function', name: 'circuits_simulate', arguments: circuit } };
    const r = await bare.responses.create(body);
    assert.match(r.output_text, /v\(out\) = 7\.5 V/);
    assert.equal(r.tool_results[0].tool_name, 'circuits.simulate');
    const streamed = await bare.responses.stream(body).finalResponse();
    assert.equal(streamed.output_text, r.output_text);
    assert.equal((await bare.responses.retrieve(r.id)).output_text, r.output_text);
    await bare.responses.delete(r.id);
    await assert.rejects(bare.responses.retrieve(r.id), (e) => e instanceof OpenAI.NotFoundError && e.code === 'not_found');
  },
  async modelChat() {
    const r = await smart.chat.completions.create({ model, messages: user('divide ten volts') });
    assert.equal(r.choices[0].message.content, 'The divider gives 5 V.');
    const streamed = await smart.chat.completions.stream({ model, messages: user('divide ten volts') }).finalChatCompletion();
    assert.equal(streamed.choices[0].message.content, 'The divider gives 5 V.');
  },
  async modelResponses() {
    const r = await smart.responses.stream({ model, input: 'echo twice' }).finalResponse();
    assert.equal(r.output_text, 'Both were echoed.');
    assert.ok(r.usage.total_tokens > 0);
    const next = await smart.responses.create({ model, input: 'say hello', previous_response_id: r.id });
    assert.equal(next.previous_response_id, r.id);
  },
  async ownTool() {
    const called = [];
    const tool = { type: 'function', function: { name: 'get_weather', parameters, parse: JSON.parse,
      function: ({ city }) => { called.push(city); return `rain in ${city}`; } } };
    for (const stream of [false, true]) {
      const runner = smart.chat.completions.runTools({ model, stream, messages: user('will it rain'), tools: [tool] });
      assert.equal(await runner.finalContent(), 'Take an umbrella.');
    }
    assert.deepEqual(called, ['Bonn', 'Bonn']);
  },
  async ownToolResponses() {
    const tools = [{ type: 'function', name: 'get_weather', parameters, strict: false }];
    const first = await smart.responses.stream({ model, input: 'will it rain', tools }).finalResponse();
    const [call] = first.output;
    assert.equal(call.type, 'function_call');
    const input = [{ type: 'function_call_output', call_id: call.call_id, output: 'rain in Bonn' }];
    const r = await smart.responses.create({ model, previous_response_id: first.id, tools, input });
    assert.equal(r.output_text, 'Take an umbrella.');
  },
  async errors() {
    for (const stream of [false, true]) {
      const bad = { model, stream, tool_choice: forced('no_such_tool', {}) };
      const same = (e) => e instanceof OpenAI.NotFoundError && e.code === 'unknown_tool' && e.param === 'tool_choice' && Boolean(e.requestID);
      await assert.rejects(bare.chat.completions.create({ ...bad, messages: user('x') }), same);
      await assert.rejects(bare.responses.create({ ...bad, input: 'x' }), same);
    }
    for (const start of [() => smart.responses.create({ model, input: 'break off', stream: true }),
      () => smart.chat.completions.create({ model, messages: user('break off'), stream: true })]) {
      let seen = 0;
      await assert.rejects(async () => { for await (const _ of await start()) seen += 1; }, (e) => e instanceof OpenAI.APIError);
      assert.ok(seen > 0);
    }
    const failed = await bare.chat.completions.create({ model, messages: user('x'), tool_choice: forced('mesh_repair_pmp', { input_path: 'none.obj' }) });
    assert.equal(failed.tool_results[0].error.code, 'ERR_FILE_NOT_FOUND');
  },
};

let failed = 0;
const start = performance.now();
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${name}`, error);
  }
}
const count = Object.keys(checks).length;
console.log(`sdk.mjs: ${count - failed} of ${count} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
process.exit(failed ? 1 : 0);
