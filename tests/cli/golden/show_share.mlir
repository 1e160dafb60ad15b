builtin.module {
  "py.func"() ({
  ^bb0(%0: !asc.address<"float32">, %1: !asc.scalar<"int64">, %2: !asc.scalar<"int64">):
    %3 = "py.constant"() {value = "0", at = "4:4"} : () -> !asc.scalar<"int64">
    %4 = "py.variable"(%3) {at = "4:4", variable = "total"} : (!asc.scalar<"int64">) -> !py.cell<!asc.scalar<"int64">>
    %5 = "py.constant"() {value = "0", at = "4:13"} : () -> !asc.scalar<"int64">
    %6 = "py.binary"(%1, %2) {operator = "mul", at = "5:15", variable = "size"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
    "py.for"(%5, %1) ({
    ^bb0(%7: !asc.scalar<"int64">):
      %8 = "py.load"(%4) {at = "6:8"} : (!py.cell<!asc.scalar<"int64">>) -> !asc.scalar<"int64">
      %9 = "py.binary"(%8, %6) {operator = "add", at = "6:8"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
      "py.store"(%4, %9) {at = "6:8"} : (!py.cell<!asc.scalar<"int64">>, !asc.scalar<"int64">) -> ()
    }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> ()
    %10 = "py.load"(%4) {at = "9:23"} : (!py.cell<!asc.scalar<"int64">>) -> !asc.scalar<"int64">
    "asc.printf"(%10) {form = "desc: text, arguments: rest", desc = "%d\\n", at = "9:4"} : (!asc.scalar<"int64">) -> ()
  }) {sym_name = "scale", parameters = ["z", "n", "m"]} : () -> ()
}
