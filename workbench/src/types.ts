// What the server's routes answer, as far as the page reads it.

import type { ErrorCode } from "./error_codes";

export interface Asset {
  path: string;
  reference: string;
  url: string;
  mime_type: string;
  bytes: number;
  sha256: string;
  job_id?: string;
  series_of?: string;
}

export interface Message {
  role: "user" | "assistant" | "system" | "tool";
  content: string;
  created_at: string;
}

export type StepStatus = "awaiting_approval" | "approved" | "running" | "succeeded" | "failed" | "cancelled" | "denied";

export interface Step {
  id: string;
  tool: string;
  job_id?: string;
  status: StepStatus;
  input?: unknown;
  started_at: string;
  finished_at?: string;
  duration_ms?: number;
  summary?: string;
  outputs?: string[];
  error?: { code: string; message: string; hint?: string };
  reason?: string;
  run_id?: string;
}

export interface Manifest {
  session_id: string;
  version: number;
  created_at: string;
  updated_at: string;
  status: "idle" | "processing";
  stage: string;
  assets: string[];
  asset_details: Asset[];
  planned_tool?: string;
  messages: Message[];
  steps: Step[];
  facts: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export interface SessionRow {
  session_id: string;
  created_at: string;
  updated_at: string;
  status: string;
  stage: string;
  bytes: number;
}

export interface Artifact {
  name: string;
  path: string;
  mime_type: string;
  bytes: number;
}

export interface ToolResult {
  status: "ok" | "error";
  solver: string;
  summary: string;
  stdout: string;
  stderr: string;
  exit_code: number;
  artifacts: Artifact[];
  metrics: Record<string, unknown>;
  output?: unknown;
  [key: string]: unknown;
}

export interface JobError {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
}

export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

export interface Job {
  id: string;
  tool_name: string;
  created_at: string;
  started_at?: string;
  finished_at?: string;
  status: JobState;
  attempt?: number;
  summary?: string;
  result?: ToolResult;
  error?: JobError;
}

export interface JobEvent {
  seq: number;
  type: "state" | "progress" | "log";
  time: string;
  state?: JobState;
  fraction?: number;
  level?: string;
  message?: string;
}

export interface Tool {
  name: string;
  version: string;
  stability: string;
  tags: string[];
  examples: { title: string; input: Record<string, unknown>; notes: string }[];
  description: string;
  input_schema: Schema;
}

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  additionalProperties?: boolean | Schema;
  $ref?: string;
  $defs?: Record<string, Schema>;
}
