builtin.module {
  "py.func"() ({
  ^bb0(%0: !asc.address<"float32">, %1: !asc.scalar<"int64">, %2: !asc.scalar<"int64">):
    %3 = "py.constant"() {value = "0", at = "4:4"} : () -> !asc.scalar<"int64">
    %4 = "py.variable"(%3) {at = "4:4", variable = "total"} : (!asc.scalar<"int64">) -> !py.cell<!asc.scalar<"int64">>
    %5 = "py.constant"() {value = "0", at = "4:13"} : () -> !asc.scalar<"int64">
    "py.for"(%5, %1) ({
    ^bb0(%6: !asc.scalar<"int64">):
      %7 = "py.binary"(%1, %2) {operator = "mul", at = "5:15", variable = "size"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
      %8 = "py.load"(%4) {at = "6:8"} : (!py.cell<!asc.scalar<"int64">>) -> !asc.scalar<"int64">
      %9 = "py.constant"() {value = "0", at = "6:24"} : () -> !asc.scalar<"int64">
      %10 = "py.binary"(%6, %9) {operator = "mul", at = "6:24"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
      %11 = "py.binary"(%7, %10) {operator = "add", at = "6:17"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
      %12 = "py.binary"(%8, %11) {operator = "add", at = "6:8"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
      "py.store"(%4, %12) {at = "6:8"} : (!py.cell<!asc.scalar<"int64">>, !asc.scalar<"int64">) -> ()
      %13 = "asc.get_block_idx"() {form = "", at = "7:11"} : () -> !asc.scalar<"int64">
      %14 = "py.constant"() {value = "1", at = "7:11"} : () -> !asc.scalar<"int64">
      %15 = "py.trunc_div"(%13, %14) {operator = "mod", at = "7:11"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"int64">
      %16 = "py.constant"() {value = "0", at = "7:11"} : () -> !asc.scalar<"int64">
      %17 = "py.compare"(%15, %16) {operator = "gt", at = "7:11"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> !asc.scalar<"bool">
      "py.if"(%17) ({
        "asc.trap"() {form = "", at = "8:12"} : () -> ()
      }, {
      ^bb0:
      }) {at = "7:8"} : (!asc.scalar<"bool">) -> ()
    }) {step = #builtin.int<1>, variable = "i", at = "4:4"} : (!asc.scalar<"int64">, !asc.scalar<"int64">) -> ()
    %18 = "py.load"(%4) {at = "9:23"} : (!py.cell<!asc.scalar<"int64">>) -> !asc.scalar<"int64">
    "asc.printf"(%18) {form = "desc: text, arguments: rest", desc = "%d\\n", at = "9:4"} : (!asc.scalar<"int64">) -> ()
  }) {sym_name = "scale", parameters = ["z", "n", "m"]} : () -> ()
}
