import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import ts from "typescript-eslint";
import houseRules from "./scripts/eslint/house-rules.mjs";

// Exceptions for whole files stand at the end, each with its reason. An exception for a line is written
// `// eslint-disable-next-line the-rule -- the reason`; without a reason, or once it is no longer needed, it fails.

export default defineConfig(
  globalIgnores(["dist/", "coverage/", "temp/", "schemas/", "samples/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error", reportUnusedInlineConfigs: "error" } },
  js.configs.recommended,
  {
    plugins: { house: houseRules },
    rules: {
      "house/explained-exception": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-var": "error",
      "prefer-const": "error",
      "object-shorthand": "error",
      "no-else-return": "error",
      "no-param-reassign": "error",
      "no-implicit-coercion": ["error", { boolean: false }],
      "no-useless-rename": "error",
      "no-useless-computed-key": "error",
      "no-unneeded-ternary": "error",
      "no-promise-executor-return": "error",
      "no-template-curly-in-string": "error",
      "no-unreachable-loop": "error",
      "no-self-compare": "error",
      // Any character may stand in a text, so control characters are matched on purpose.
      "no-control-regex": "off",
      "no-return-assign": "error",
      "no-sequences": "error",
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx", "hack"], location: "start" }],
    },
  },
  {
    files: ["**/*.ts"],
    extends: [ts.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/array-type": ["error", { default: "array" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/consistent-type-assertions": [
        "error",
        { assertionStyle: "as", objectLiteralTypeAssertions: "never" },
      ],
      "@typescript-eslint/no-import-type-side-effects": "error",
      // `||` on a text or a number is how the documented "empty means absent" is written.
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: true }],
      "@typescript-eslint/prefer-optional-chain": "error",
      "@typescript-eslint/prefer-readonly": "error",
      "@typescript-eslint/promise-function-async": "error",
      "@typescript-eslint/return-await": ["error", "in-try-catch"],
      // Empty texts and zero may count as absent; what has no type may not decide anything.
      "@typescript-eslint/strict-boolean-expressions": [
        "error",
        { allowNullableBoolean: true, allowNullableString: true, allowNullableNumber: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      // `Record<never, never>` is the honest default of an options type parameter.
      "@typescript-eslint/no-generated-empty-object-type": "off",
      // Destructuring is how a field is left out of an object.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true, argsIgnorePattern: "^_" }],
      // Numbers, bigints and booleans print as one expects.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true, allowAny: false, allowNullish: false, allowRegExp: false },
      ],
      // `() => statement()` is a common callback and says what it means.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // `while (true)` is the plain way to write a loop that ends in its middle.
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "house/exported-docstring": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/no-unsafe-type-assertion": "error",
      "no-restricted-syntax": [
        "error",
        {
          selector: "ClassDeclaration[superClass]:not([superClass.name=/Error$/])",
          message: "No inheritance beyond errors: functions and plain data, or composition.",
        },
        { selector: "ClassExpression[superClass]", message: "No inheritance beyond errors." },
        { selector: "TSEnumDeclaration", message: "Use a union of string literals." },
        { selector: "TSModuleDeclaration[kind='namespace']", message: "Use a module." },
        { selector: "ExportDefaultDeclaration", message: "Named exports only." },
        {
          selector: "ExportAllDeclaration",
          message: "Name what is exported, so that nothing becomes public by accident.",
        },
      ],
    },
  },
  {
    // A library does not print: it returns, throws, or tells `onNotice`. Only the outermost layer writes.
    files: ["src/**/*.ts"],
    ignores: ["src/cli/**"],
    rules: { "no-console": "error" },
  },
  {
    files: ["test/**/*.ts", "bench/**/*.ts", "*.config.ts"],
    rules: {
      // A test says what it knows about its own data; a wrong claim makes it fail.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/consistent-type-assertions": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // Arguments of wrong types are part of what is tested, and hooks take async functions.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
    },
  },
  {
    files: ["**/*.{js,mjs,cjs}"],
    languageOptions: {
      globals: { console: "readonly", performance: "readonly", process: "readonly" },
    },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: { sourceType: "commonjs", globals: { module: "writable", require: "readonly" } },
  },

  // Exceptions.
  {
    // better-sqlite3 returns rows as unknown: these files give them their types, nobody else.
    files: ["src/store/rows.ts", "src/store/statements.ts", "src/projections/projection-sql.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-type-assertion": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
    },
  },
  {
    // The definitions of events: each is described in its own arguments, from which the JSON Schema has it too.
    files: ["src/events/*-events.ts"],
    rules: { "house/exported-docstring": "off" },
  },
  {
    // Tables of data, named so: one entry after another, nothing to divide.
    // The façade is a table of contents: a docstring and one line for each documented operation.
    files: ["src/**/*.data.ts", "src/store/session-db.ts"],
    rules: { "max-lines": "off" },
  },
);
