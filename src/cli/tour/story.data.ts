/** A report of model usage. */
export interface SampleUsage {
  readonly model: string;
  readonly provider: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  /** USD. */
  readonly cost: number;
  /** What an auxiliary call was for; it is not charged to the session's own counters. */
  readonly task?: string;
}

/** What is known of a sample session beyond its transcript. */
export interface SampleFacts {
  readonly parent?: string;
  /** The session that set this one a task. */
  readonly delegate_of?: string;
  readonly cwd?: string;
  readonly end_reason?: string;
  readonly usage: readonly SampleUsage[];
}

/** The facts about each sample session, by its id. */
export const sampleFacts: Readonly<Record<string, SampleFacts>> = {
  "20260112_091503_5d1f0c": {
    cwd: "/home/user/ledgerly",
    end_reason: "user_exit",
    usage: [
      {
        model: "anthropic/claude-sonnet-4.6",
        provider: "openrouter",
        calls: 7,
        input: 21_430,
        output: 1_386,
        cached: 14_980,
        cost: 0.0446,
      },
      {
        model: "google/gemini-3-flash",
        provider: "openrouter",
        calls: 1,
        input: 412,
        output: 9,
        cost: 0.0002,
        task: "title",
      },
    ],
  },
  "20260112_091623_3b9ef2": {
    delegate_of: "20260112_091503_5d1f0c",
    cwd: "/home/user/ledgerly",
    end_reason: "completed",
    usage: [
      {
        model: "anthropic/claude-haiku-4.5",
        provider: "openrouter",
        calls: 2,
        input: 2_960,
        output: 187,
        cost: 0.0039,
      },
    ],
  },
  "20260113_203108_e0b7aa": {
    usage: [{ model: "qwen/qwen3-max", provider: "openrouter", calls: 5, input: 6_118, output: 731, cost: 0.0117 }],
  },
  "20260114_074512_91c3de": {
    usage: [
      {
        model: "google/gemini-3-flash",
        provider: "google",
        calls: 5,
        input: 5_204,
        output: 655,
        cached: 2_048,
        cost: 0.0031,
      },
    ],
  },
  "20260115_143020_7ac2f1": {
    usage: [{ model: "openai/gpt-5.2", provider: "openai", calls: 4, input: 4_377, output: 502, cost: 0.0147 }],
  },
  "20260116_100210_c41d88": {
    end_reason: "compression",
    usage: [
      { model: "anthropic/claude-opus-4.6", provider: "anthropic", calls: 5, input: 7_925, output: 811, cost: 0.0599 },
      {
        model: "google/gemini-3-flash",
        provider: "openrouter",
        calls: 1,
        input: 2_240,
        output: 141,
        cost: 0.0015,
        task: "compression",
      },
    ],
  },
  "20260116_112540_c41d89": {
    parent: "20260116_100210_c41d88",
    usage: [
      { model: "anthropic/claude-opus-4.6", provider: "anthropic", calls: 3, input: 2_870, output: 268, cost: 0.0211 },
    ],
  },
  "cron_river-level_20260117_060000": {
    end_reason: "cron_complete",
    usage: [
      { model: "deepseek/deepseek-v3.2", provider: "openrouter", calls: 2, input: 1_514, output: 83, cost: 0.0005 },
    ],
  },
};
