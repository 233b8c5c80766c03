// Keeps the public API report of every entry in package.json "exports" under etc/: `npm run api:check` fails when a
// report is not what the built package exports or when an export has no docstring, `npm run api:update` rewrites it.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { CompilerState, Extractor, ExtractorConfig } from "@microsoft/api-extractor";

const update = process.argv.includes("--update");
const root = process.cwd();
const etc = join(root, "etc");
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

const entries = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === "object" && "types" in target)
  .map(([subpath, { types }]) => ({
    types: resolve(types),
    report: `${manifest.name}${subpath.slice(1).replaceAll("/", "-")}.api.md`,
  }));

mkdirSync(etc, { recursive: true });
const unbuilt = entries.filter(({ types }) => !existsSync(types));
const problems =
  unbuilt.length > 0
    ? unbuilt.map(({ types }) => `${relative(root, types)} was not built, but package.json exports it`)
    : [...reports(), ...leftovers()];
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`api: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
  process.exit(1);
}
console.log(`api: ${entries.length} reports ${update ? "written" : "agree"}`);

function reports() {
  const configs = entries.map(({ types, report }) =>
    ExtractorConfig.prepare({
      configObject: configFor(types, report),
      configObjectFullPath: undefined,
      packageJsonFullPath: join(root, "package.json"),
    }),
  );
  // One compilation for all entries.
  const compilerState = CompilerState.create(configs[0], { additionalEntryPoints: entries.map(({ types }) => types) });
  return [...new Set(entries.flatMap(({ report }, index) => reportOn(report, configs[index], compilerState)))];
}

/** Writes or compares one report. Returns what is wrong. */
function reportOn(report, config, compilerState) {
  const found = [];
  const { succeeded } = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    printApiReportDiff: true,
    messageCallback(message) {
      message.handled = true;
      if (message.messageId === "ae-undocumented" && isProperty(message)) {
        // What is let pass must not count as a failure of the run either.
        message.logLevel = "none";
        return;
      }
      if (message.messageId === "console-api-report-diff") {
        if (!update) found.push(message.text);
      } else if (message.messageId === "console-api-report-not-copied") {
        found.push(`etc/${report} is not what the package exports. If the change is meant: npm run api:update`);
      } else if (message.logLevel === "error" || (message.logLevel === "warning" && !update)) {
        const { sourceFilePath: file, sourceFileLine: line } = message;
        const at = file === undefined ? report : `${relative(root, resolve(file))}:${line}`;
        found.push(`${at} ${message.text} (${message.messageId})`);
      }
    },
  });
  return succeeded || found.length > 0 ? found : [`etc/${report}: the extractor failed and did not say why`];
}

/** The name and type of a property may say it all (a documented column, say); everything else needs a docstring. */
function isProperty({ sourceFilePath, sourceFileLine }) {
  const line = readFileSync(sourceFilePath, "utf8").split("\n")[sourceFileLine - 1] ?? "";
  return /^\s+(?:(?:static|readonly|protected) )*[\w$"'-]+\??:/.test(line);
}

/** Reports whose entry is gone. */
function leftovers() {
  const known = new Set(entries.map(({ report }) => report));
  const stale = readdirSync(etc).filter((name) => name.endsWith(".api.md") && !known.has(name));
  if (!update) return stale.map((name) => `etc/${name} is the report of an entry that package.json no longer exports`);
  for (const name of stale) rmSync(join(etc, name));
  return [];
}

function configFor(types, reportFileName) {
  return {
    projectFolder: root,
    mainEntryPointFilePath: types,
    compiler: { tsconfigFilePath: join(root, "tsconfig.build.json") },
    apiReport: {
      enabled: true,
      reportFileName,
      reportFolder: etc,
      reportTempFolder: join(root, "node_modules/.cache/api-extractor"),
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: "lf",
    messages: {
      compilerMessageReporting: { default: { logLevel: "error" } },
      extractorMessageReporting: {
        default: { logLevel: "error" },
        "ae-undocumented": { logLevel: "error" },
        // A type that exports mention and nobody can import shows in the report, where a reader can judge it.
        "ae-forgotten-export": { logLevel: "warning", addToApiReportFile: true },
        // Release tags and TSDoc links are not used here.
        "ae-missing-release-tag": { logLevel: "none" },
        "ae-internal-missing-underscore": { logLevel: "none" },
        "ae-unresolved-link": { logLevel: "none" },
      },
      // Docstrings are prose, not strict TSDoc: braces and angle brackets are allowed in it.
      tsdocMessageReporting: { default: { logLevel: "none" } },
    },
  };
}
