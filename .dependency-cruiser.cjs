// The direction of imports (ARCHITECTURE.md, "The rooms"):
//
//   events <- projections <- store <- everything else in src/
//
// The outer rooms (interop, inspector, ...) stand beside one another; only the command line may use the others.

const CORE = "events|projections|store";

/** Room `name` may import, of ours, only itself and the rooms in `allowed`. */
function room(name, allowed, comment) {
  return {
    name: `${name}-imports`,
    severity: "error",
    comment,
    from: { path: `^src/${name}/` },
    to: { path: "^(src|test|bench|scripts)/", pathNot: `^src/(${[name, ...allowed].join("|")})/` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    room("events", [], "What can happen: imports nothing of ours."),
    room("projections", ["events"], "What the log means: imports events only."),
    room("store", ["events", "projections"], "The file: imports events and projections only."),
    {
      name: "outer-rooms-imports",
      severity: "error",
      comment: "An outer room builds on the core, not on another outer room; move what they share into the core.",
      from: { path: "^src/([^/]+)/", pathNot: `^src/(${CORE}|cli)/` },
      to: { path: "^(src|test|bench|scripts)/", pathNot: `^src/($1|${CORE})/` },
    },
    {
      name: "nothing-imports-cli",
      severity: "error",
      comment: "The command line is the outermost layer: only tests and benchmarks may import it.",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "^src/cli/" },
    },
    {
      name: "nothing-imports-an-entry",
      severity: "error",
      comment: "The files at the top of src/ are the public entries: inside, import the file that has the thing.",
      from: { path: "^src/" },
      to: { path: "^src/[^/]+$" },
    },
    {
      name: "src-imports-no-tests",
      severity: "error",
      comment: "The package is built from src/ alone.",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts)/" },
    },
    {
      name: "no-circular",
      severity: "error",
      comment: "Two files that need each other are one thing, or share a third. Type-only imports count too.",
      from: { path: "^(src|test|bench|scripts)/" },
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      comment: "The import leads nowhere.",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-undeclared-package",
      severity: "error",
      comment: "A package that is imported must stand in package.json.",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "src-imports-no-dev-dependency",
      severity: "error",
      comment: "Who installs the package has its dependencies only (types are erased, so they may come from there).",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: "^node_modules/@types/" },
    },
    {
      name: "no-deprecated-core",
      severity: "error",
      comment: "A module that Node has deprecated.",
      from: {},
      to: { dependencyTypes: ["core"], path: "^(punycode|domain|constants|sys|_linklist|_stream_wrap)$" },
    },
  ],
  options: {
    doNotFollow: { path: "(^|/)node_modules/|^dist/" },
    tsConfig: { fileName: "tsconfig.json" },
    // Type-only imports are dependencies too.
    tsPreCompilationDeps: true,
    // Asks what is in package.json, so that test-only packages are told from the others.
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      mainFields: ["types", "module", "main"],
    },
    skipAnalysisNotInRules: true,
  },
};
